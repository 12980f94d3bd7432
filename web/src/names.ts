// Method labels for people. A label is package.Class.method and a JVM descriptor,
// *.method for a callback without its class, or any text from folded stacks.

/** A Name is a label in its parts; all of it is in label. */
export interface Name {
  label: string;
  /** Class.method, without package and descriptor. */
  short: string;
  /** The package, empty if there is none. */
  package: string;
  /** The class with its package, empty if there is none. */
  class: string;
}

const known = new Map<string, Name>();

/** nameOf takes a label apart. */
export function nameOf(label: string): Name {
  let name = known.get(label);
  if (!name) {
    name = parse(label);
    known.set(label, name);
  }
  return name;
}

/** halves parts a label's short name into the class, which may be cut first, and the rest; what is no method's name has no class. */
export function halves(label: string): [type: string, rest: string] {
  const { short, class: type } = nameOf(label);
  const dot = type ? short.lastIndexOf(".") : 0;
  return [short.slice(0, dot), short.slice(dot)];
}

function parse(label: string): Name {
  // The descriptor starts at "(", which "(toplevel)" has in front.
  const at = label.indexOf("(", 1);
  const plain = at > 0 ? label.slice(0, at) : label;
  const dot = plain.lastIndexOf(".");
  // Without dots, or with spaces in front of the last, it is no method's name.
  if (dot <= 0 || dot === plain.length - 1 || /[\s/]/.test(plain)) {
    return { label, short: plain || label, package: "", class: "" };
  }
  const type = plain.slice(0, dot);
  const method = plain.slice(dot + 1);
  const typeDot = type.lastIndexOf(".");
  return {
    label,
    short: `${type.slice(typeDot + 1)}.${method}`,
    package: typeDot > 0 ? type.slice(0, typeDot) : "",
    class: type,
  };
}

/** overloads tells methods of one name apart: what labels that share their short name with another take, "(CharSequence, int)". */
export function overloads(labels: readonly string[]): Map<string, string> {
  const bearers = new Map<string, Set<string>>();
  for (const label of labels) {
    const { short } = nameOf(label);
    bearers.set(short, (bearers.get(short) ?? new Set()).add(label));
  }
  const out = new Map<string, string>();
  for (const same of bearers.values()) {
    if (same.size < 2) continue;
    for (const label of same) {
      const taken = parameters(label);
      if (taken !== undefined) out.set(label, `(${taken.join(", ")})`);
    }
  }
  return out;
}

const primitives: Record<string, string> = { Z: "boolean", B: "byte", C: "char", D: "double", F: "float", I: "int", J: "long", S: "short" };

/** parameters are the last names of the types in a label's descriptor, undefined if it has none. */
function parameters(label: string): string[] | undefined {
  const descriptor = /\(([^()]*)\)[^()]+$/.exec(label);
  const types = descriptor?.[1].match(/\[*(?:L[^;]+;|.)/g) ?? [];
  const names = types.map((type) => {
    const element = type.replace(/^\[+/, "");
    const name = element.endsWith(";") ? lastName(element.slice(1, -1)) : primitives[element];
    return name && name + "[]".repeat(type.length - element.length);
  });
  return descriptor && names.every((name) => name !== undefined) ? (names as string[]) : undefined;
}

/** lastName is what follows the last slash, or dollar sign unless that ends the name. */
function lastName(type: string): string {
  const at = Math.max(type.lastIndexOf("/"), type.lastIndexOf("$"));
  return at < type.length - 1 ? type.slice(at + 1) : type;
}

/** fileNames are what tells two files apart: their names, with their folders where these are the same. */
export function fileNames(a: string, b: string): [string, string] {
  const names: [string, string] = [fileName(a), fileName(b)];
  if (names[0] !== names[1]) return names;
  const folder = (path: string) => fileName(path.slice(0, Math.max(0, path.length - fileName(path).length - 1)));
  return folder(a) && folder(b) ? [`${folder(a)}/${names[0]}`, `${folder(b)}/${names[1]}`] : names;
}

/** fileName is the last part of a path. */
export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1) || path;
}
