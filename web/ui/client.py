"""JSON-RPC 2.0 client of the engine: requests with callbacks, notifications by name.

Example: ``client.request("engine.ask", {"question": q}, done, event)`` where ``done(result, error)``
is called once and ``event(params)`` for each event (:data:`EVENTS`) of that request.
"""

import json

EVENTS = ("ask.event", "search.event")


class Client:
    """Speaks JSON text through ``post``; feed what arrives to :meth:`receive`."""

    def __init__(self, post):
        self._post = post
        self._next = 1
        self._waiting = {}
        self._events = {}
        self._listeners = {}

    def request(self, method, params, done, event=None):
        """Send a request; return its id for :meth:`cancel`."""
        request = self._next
        self._next += 1
        self._waiting[request] = done
        if event:
            self._events[request] = event
        self._post(json.dumps({"jsonrpc": "2.0", "id": request, "method": method, "params": params}))
        return request

    def cancel(self, request):
        """Ask for a request to stop; its ``done`` is still called."""
        self._post(json.dumps({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": request}}))

    def on(self, notification, listener):
        """Call ``listener(params)`` for a notification."""
        self._listeners[notification] = listener

    def receive(self, text):
        """Take one message from the engine."""
        message = json.loads(text)
        method = message.get("method")
        if method in EVENTS:
            event = self._events.get(message["params"].get("request"))
            if event:
                event(message["params"])
        elif method:
            listener = self._listeners.get(method)
            if listener:
                listener(message.get("params") or {})
        else:
            request = message.get("id")
            self._events.pop(request, None)
            done = self._waiting.pop(request, None)
            if done:
                done(message.get("result"), message.get("error"))

    def drop_all(self, error):
        """The engine is gone: every open request ends with this error."""
        waiting = self._waiting
        self._waiting = {}
        self._events = {}
        for done in waiting.values():
            done(None, error)
