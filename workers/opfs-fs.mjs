// An Emscripten file system over FileSystemSyncAccessHandle, so that Python's sqlite3 works on OPFS
// with SQLite's ordinary unix VFS. Nodes hold a Content (opfs-content.mjs); the store
// (opfs-store.mjs) decides what exists. Directories exist because files in them do.
//
// Journals: every journal mode that uses a rollback journal is atomic here. TRUNCATE with the
// journal ensured ahead is the one to use: DELETE costs a record in the name map per transaction,
// and WAL needs shared memory that this file system does not have.

import { ReadOnlyError } from "./opfs-content.mjs";

// WASI numbers, as Emscripten's libc wants them.
const ERRNO = {
  EBADF: 8, EBUSY: 10, EINVAL: 28, EIO: 29, ENFILE: 41, ENOENT: 44, ENOSPC: 51, ENOTEMPTY: 55,
  EPERM: 63, EROFS: 69,
};
const DIRECTORY = 0o40777;
const FILE = 0o100666;
const FILE_READ_ONLY = 0o100444;

/** @param {any} error @returns {number} */
export function errnoOf(error) {
  if (error instanceof ReadOnlyError) return ERRNO.EROFS;
  // Firefox says "no device space" where the specification says QuotaExceededError.
  if (/QuotaExceeded|NO_DEVICE_SPACE/.test(`${error?.name} ${error?.message}`)) return ERRNO.ENOSPC;
  if (error?.name === "NoModificationAllowedError") return ERRNO.EBUSY;
  if (error?.name === "InvalidStateError") return ERRNO.EBADF; // the handle was closed
  if (error?.name === "NotFoundError") return ERRNO.ENOENT;
  if (error instanceof TypeError || error instanceof RangeError) return ERRNO.EINVAL;
  return ERRNO.EIO;
}

/**
 * @typedef {(stream: any, heap: Int8Array, at: number, count: number, position: number) => number
 * } Transfer
 */

/**
 * @param {any} FS Emscripten's
 * @param {import("./opfs-store.mjs").OpfsStore} store
 */
export function createOpfsFs(FS, store) {
  /** @param {number} errno @returns {never} */
  const fail = (errno) => {
    throw new FS.ErrnoError(errno);
  };
  /** @template T @param {() => T} work @returns {T} */
  const attempt = (work) => {
    try {
      return work();
    } catch (error) {
      if (error instanceof FS.ErrnoError) throw error;
      return fail(errnoOf(error));
    }
  };

  /** @param {any} parent @param {string} name @param {any} content null: a directory */
  const createNode = (parent, name, content) => {
    const mode = !content ? DIRECTORY : content.readOnly ? FILE_READ_ONLY : FILE;
    const node = FS.createNode(parent, name, mode, 0);
    Object.assign(node, { node_ops: nodeOps, stream_ops: streamOps, content });
    return node;
  };
  /** @param {any} node a directory @returns {string} "" for the root, else its path and "/" */
  const prefixOf = (node) => (FS.isRoot(node) ? "" : `${prefixOf(node.parent)}${node.name}/`);
  /** @param {any} parent @param {string} name */
  const join = (parent, name) => prefixOf(parent) + name;

  const nodeOps = {
    /** @param {any} node */
    getattr(node) {
      const size = node.content ? attempt(() => node.content.size()) : 4096;
      const [atime, mtime, ctime] = [node.atime, node.mtime, node.ctime].map((ms) => new Date(ms));
      return {
        dev: 1, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size, atime, mtime,
        ctime, blksize: 4096, blocks: Math.ceil(size / 4096),
      };
    },
    /** @param {any} node @param {any} attributes */
    setattr(node, attributes) {
      for (const key of ["mode", "atime", "mtime", "ctime"]) {
        if (attributes[key] != null) node[key] = attributes[key];
      }
      if (attributes.size !== undefined) attempt(() => node.content.truncate(attributes.size));
    },
    /** @param {any} parent @param {string} name */
    lookup(parent, name) {
      const path = join(parent, name);
      const content = store.open.get(path);
      if (content) return createNode(parent, name, content);
      if (store.open.children(`${path}/`).size > 0) return createNode(parent, name, null);
      return fail(ERRNO.ENOENT);
    },
    /** @param {any} parent @param {string} name @param {number} mode */
    mknod(parent, name, mode) {
      if (FS.isDir(mode)) return createNode(parent, name, null);
      const content = attempt(() => store.create(join(parent, name)));
      return content ? createNode(parent, name, content) : fail(ERRNO.ENFILE);
    },
    /** @param {any} node @param {any} parent @param {string} name */
    rename(node, parent, name) {
      if (!node.content || node.content.readOnly) fail(ERRNO.EPERM);
      const [from, to] = [join(node.parent, node.name), join(parent, name)];
      const replaced = store.open.get(to);
      if (replaced?.readOnly) fail(ERRNO.EPERM);
      if (replaced) FS.destroyNode(FS.lookupNode(parent, name));
      attempt(() => store.move(from, to));
      node.name = name;
    },
    /** @param {any} parent @param {string} name */
    unlink(parent, name) {
      attempt(() => store.drop(join(parent, name)));
    },
    /** @param {any} parent @param {string} name */
    rmdir(parent, name) {
      if (store.open.children(`${join(parent, name)}/`).size > 0) fail(ERRNO.ENOTEMPTY);
    },
    symlink: () => fail(ERRNO.EPERM),
    /** @param {any} node */
    readdir: (node) => [".", "..", ...store.open.children(prefixOf(node))],
  };

  const streamOps = {
    /** @type {Transfer} */
    read: (stream, heap, at, n, position) =>
      attempt(() => stream.node.content.read(heap.subarray(at, at + n), position)),
    /** @type {Transfer} */
    write(stream, heap, at, n, position) {
      stream.node.mtime = Date.now();
      return attempt(() => stream.node.content.write(heap.subarray(at, at + n), position));
    },
    /** @param {any} stream @param {number} offset @param {number} whence */
    llseek(stream, offset, whence) {
      const size = () => attempt(() => stream.node.content.size());
      const position = [() => 0, () => stream.position, size][whence]() + offset;
      return position < 0 ? fail(ERRNO.EINVAL) : position;
    },
    /** @param {any} stream */
    fsync(stream) {
      attempt(() => stream.node.content.flush());
      return 0;
    },
  };

  return { mount: () => createNode(null, "/", null) };
}
