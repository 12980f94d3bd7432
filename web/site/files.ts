// Presents the chosen files to Go's library as a read-only file system with open, fstat, read and
// close.

/** The synchronous file reader of workers. The types for pages lack it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

type Callback = (error: (Error & { code: string }) | null, value?: unknown) => void;

/** ahead is the number of bytes to read at once, since the engine reads small pieces. */
const ahead = 4 << 20;

interface Open {
  file: File;
  at: number;
  /** chunk reads the bytes of the file that start at the offset begin. */
  chunk: Uint8Array;
  begin: number;
}

function fault(code: string, message: string): Error & { code: string } {
  return Object.assign(new Error(message), { code });
}

function status(file: File): object {
  const zero = { dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: 0 };
  const time = { atimeMs: file.lastModified, mtimeMs: file.lastModified, ctimeMs: file.lastModified };
  return { ...zero, ...time, mode: 0o100444, size: file.size, isDirectory: () => false };
}

/** fileSystem is the `fs` of Go's runtime for browsers. Go's own messages go to log. */
export function fileSystem(files: Map<string, File>, log: (text: string) => void): object {
  const reader = new FileReaderSync();
  const open = new Map<number, Open>();
  let next = 3;
  const missing = (callback: Callback) => callback(fault("ENOENT", "no such file"));
  const refused = (...args: unknown[]) => (args[args.length - 1] as Callback)(fault("ENOSYS", "not possible in a browser"));
  const stat = (path: string, callback: Callback) => {
    const file = files.get(path);
    if (file) callback(null, status(file));
    else missing(callback);
  };
  const known = {
    constants: { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_TRUNC: 512, O_APPEND: 1024, O_EXCL: 128, O_DIRECTORY: 65536 },
    stat,
    lstat: stat,
    open(path: string, flags: number, _mode: number, callback: Callback) {
      const file = files.get(path);
      if (!file) return missing(callback);
      if (flags & 3) return callback(fault("EROFS", "nothing can be written"));
      open.set(next, { file, at: 0, chunk: new Uint8Array(), begin: 0 });
      callback(null, next++);
    },
    fstat(descriptor: number, callback: Callback) {
      const o = open.get(descriptor);
      if (o) callback(null, status(o.file));
      else callback(fault("EBADF", "the file is closed"));
    },
    close(descriptor: number, callback: Callback) {
      open.delete(descriptor);
      callback(null);
    },
    read(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number | null, callback: Callback) {
      const o = open.get(descriptor);
      if (!o) return callback(fault("EBADF", "the file is closed"));
      const at = position ?? o.at;
      if (at < o.begin || at >= o.begin + o.chunk.length) {
        try {
          o.chunk = new Uint8Array(reader.readAsArrayBuffer(o.file.slice(at, at + Math.max(ahead, length))));
        } catch {
          return callback(fault("EIO", "the file cannot be read any more: it was changed or removed"));
        }
        o.begin = at;
      }
      const part = o.chunk.subarray(at - o.begin, at - o.begin + length);
      buffer.set(part, offset);
      if (position === null) o.at += part.length;
      callback(null, part.length);
    },
    writeSync(_descriptor: number, bytes: Uint8Array) {
      log(new TextDecoder().decode(bytes));
      return bytes.length;
    },
    write(descriptor: number, bytes: Uint8Array, _offset: number, _length: number, _position: null, callback: Callback) {
      callback(null, known.writeSync(descriptor, bytes));
    },
    fsync: (_descriptor: number, callback: Callback) => callback(null),
  };
  return new Proxy(known, { get: (target, name) => Reflect.get(target, name) ?? refused });
}
