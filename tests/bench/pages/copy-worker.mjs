// The plain copy: a megabyte read, a megabyte written, and a flush at the end.

const PIECE = 1 << 20;

onmessage = async ({ data: file }) => {
  const root = await navigator.storage.getDirectory();
  const handle = await root.getFileHandle("plain-copy", { create: true });
  const access = await handle.createSyncAccessHandle();
  const began = performance.now();
  for (let at = 0; at < file.size; at += PIECE) {
    access.write(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()), { at });
  }
  access.flush();
  const ms = performance.now() - began;
  access.close();
  await root.removeEntry("plain-copy");
  postMessage(ms);
};
