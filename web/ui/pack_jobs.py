"""Packs on their way into the library, as cards: what they are, how far they are, what can be done."""

from dom import action, content, el, icon_button, put
from pyscript import document, window
from strings import duration, language_name, plural, size, t

MOVING = ("done", "total", "rate", "seconds_left")


class PackJobs:
    """The jobs as the engine last told of them; ``tell(kind, sentence)`` shows a sentence."""

    def __init__(self, client, changed, tell):
        self._client = client
        self._changed = changed
        self._tell = tell
        self._jobs = {}  # id -> JobInfo
        client.on("packs.job", self._told)
        for name, method in (
            ("start-pack", "packs.start"),
            ("pause-pack", "packs.pause"),
            ("resume-pack", "packs.resume"),
            ("stop-pack", "packs.stop"),
        ):
            action(name, self._asker(method))
        action("reopen-pack", lambda node: window.cairn.reopenFiles(node.getAttribute("data-key")))

    def take(self, jobs):
        """All jobs, as ``engine.status`` lists them."""
        self._jobs = {}
        for job in jobs:
            self._jobs[job["id"]] = job

    def forget(self, job_id):
        """A job is over."""
        self._jobs.pop(job_id, None)

    def any(self):
        """Whether there are jobs."""
        return bool(self._jobs)

    def state(self):
        """What the cards look like, without what moves on its own."""
        return [_still(job) for job in self._jobs.values()]

    def cards(self):
        """A card for each job."""
        return [self._card(job) for job in self._jobs.values()]

    # --- drawing ---------------------------------------------------------------------------------

    def _card(self, job):
        pack = job["pack"]
        card = el("article", "card", data_job=job["id"], data_state=job["state"])
        put(card, content("h4", "", pack["title"] if pack else job["name"]))
        if job["state"] == "asking":
            self._describe(card, job, pack)
        if job["problem"]:
            kind = "waiting" if job["state"] == "waiting" else "failed"
            sentence = (job["problem"] + " " + job["hint"]).strip()
            put(card, el("p", "news", sentence, data_kind=kind, dir="auto"))
        if job["state"] in ("running", "paused", "waiting"):
            title = pack["title"] if pack else job["name"]
            bar = el("progress", "", aria_label=t("pack.progress", title=title))
            row = put(el("div", "copying"), bar, el("span", ""))
            put(card, row)
            _show_progress(row, job)
        return put(card, self._buttons(job, pack))

    def _describe(self, card, job, pack):
        if pack:
            put(card, content("p", "", pack["notice"]))
        facts = el("dl", "facts")
        rows = []
        if pack:
            rows = [
                (t("fact.version"), pack["version"]),
                (t("fact.documents"), plural("documents", pack["documents"])),
                (t("fact.languages"), ", ".join(language_name(code) for code in pack["languages"])),
                (t("fact.licence"), pack["licence"]),
            ]
        if job["bytes"]:
            rows.append((t("fact.size"), size(job["bytes"])))
            rows.append((t("fact.installed_size"), size(job["installed_bytes"])))
        if job["room"] >= 0:
            rows.append((t("fact.room"), t("fact.room.value", size=size(job["room"]))))
        for name, value in rows:
            put(facts, el("dt", "", name), content("dd", "", value))
        put(card, facts)
        notes = []
        if not pack:
            notes.append(t("pack.unknown"))
        elif pack["same"]:
            notes.append(t("pack.same"))
        elif pack["replaces"]:
            notes.append(t("pack.replaces", version=pack["replaces"]))
        if 0 <= job["room"] < job["installed_bytes"]:
            notes.append(t("pack.tight", need=size(job["installed_bytes"]), room=size(job["room"])))
        for note in notes:
            put(card, el("p", "hint", note))

    def _buttons(self, job, pack):
        row = el("div", "card-actions")
        state = job["state"]
        if state == "asking":
            word = "pack.install"
            if pack and pack["replaces"]:
                word = "pack.again" if pack["same"] else "pack.update"
            put(row, _button("primary", "copy", word, "start-pack", job))
            return put(row, _button("quiet", "back", "pack.not_now", "stop-pack", job))
        if state == "running":
            put(row, _button("", "stop", "pack.pause", "pause-pack", job))
        elif state == "waiting":
            put(row, _button("primary", "again", "pack.reopen", "reopen-pack", job))
        else:
            word = "pack.resume" if state == "paused" else "pack.retry"
            put(row, _button("primary", "again", word, "resume-pack", job))
        word = "pack.stop" if state == "running" else "pack.discard"
        return put(row, _button("quiet", "remove", word, "stop-pack", job))

    # --- what happens ----------------------------------------------------------------------------

    def _told(self, job):
        old = self._jobs.get(job["id"])
        self._jobs[job["id"]] = job
        row = document.querySelector('[data-job="' + job["id"] + '"] .copying')
        if old and row and _still(old) == _still(job):
            _show_progress(row, job)
        else:
            self._changed()

    def _asker(self, method):
        def ask(node):
            job_id = node.getAttribute("data-job")

            def done(job, error):
                if error:
                    hint = error.get("data", {}).get("hint", "")
                    self._tell("failed", (error["message"] + " " + hint).strip())
                elif job:
                    self._jobs[job["id"]] = job
                else:
                    self._jobs.pop(job_id, None)
                self._changed('[data-job="' + job_id + '"] button')

            self._client.request(method, {"job": job_id}, done)

        return ask


def _still(job):
    return [job[name] for name in sorted(job) if name not in MOVING]


def _button(cls, icon_name, word, action_name, job):
    title = job["pack"]["title"] if job["pack"] else job["name"]
    return icon_button(
        cls,
        icon_name,
        t(word),
        data_action=action_name,
        data_job=job["id"],
        data_key=job["key"],
        aria_label=t(word) + ": " + title,
    )


def _show_progress(row, job):
    bar = row.firstElementChild
    if job["total"]:
        bar.max = job["total"]
        bar.value = job["done"]
    else:
        bar.removeAttribute("value")
    words = [t("pack.paused") if job["state"] == "paused" else t("pack.phase." + job["phase"])]
    counted = job["phase"] in ("index", "build")
    if counted and job["total"]:
        words.append(t("of", done=job["done"], total=job["total"]))
    elif job["done"]:
        done = size(job["done"])
        words.append(t("of", done=done, total=size(job["total"])) if job["total"] else done)
    if job["rate"] and not counted:
        words.append(t("pack.rate", rate=size(job["rate"])))
    if job["seconds_left"] >= 0:
        words.append(t("pack.left", time=duration(job["seconds_left"])))
    row.lastElementChild.textContent = " · ".join(words)
