/** Matches segments that are compared as plain text, in contrast to parameters and wildcards. */
const PLAIN_TEXT = /^[\w.~-]*$/;
const ANY_SEGMENTS = /[*{]/;

interface Node<R> {
  texts: Map<string, Node<R>>;
  parameter?: Node<R>;
  /** Routes that end at this segment. */
  ends: Entry<R>[];
  /** Routes that continue with a wildcard. */
  open: Entry<R>[];
}

interface Entry<R> {
  position: number;
  route: R;
}

/**
 * An index of routes by their segments. It returns the few candidates for a path, in the order in which they were
 * added; the route's own pattern decides about the match.
 */
export class RouteIndex<R> {
  private readonly root = createNode<R>();
  private size = 0;

  add(pattern: string, route: R): void {
    let node = this.root;
    const entry = { position: this.size++, route };
    for (const segment of splitPath(pattern)) {
      if (ANY_SEGMENTS.test(segment)) return void node.open.push(entry);
      if (PLAIN_TEXT.test(segment)) node = getOrCreate(node.texts, segment.toLowerCase());
      else node = node.parameter ??= createNode<R>();
    }
    node.ends.push(entry);
  }

  /** The candidate routes for a path, in the order in which they were added. */
  find(path: string): R[] {
    const found: Entry<R>[] = [];
    collect(this.root, splitPath(path.toLowerCase()), 0, found);
    if (found.length > 1) found.sort((a, b) => a.position - b.position);
    return found.map(({ route }) => route);
  }
}

const createNode = <R>(): Node<R> => ({ texts: new Map(), ends: [], open: [] });

function getOrCreate<R>(texts: Map<string, Node<R>>, text: string): Node<R> {
  const node = texts.get(text) ?? createNode<R>();
  texts.set(text, node);
  return node;
}

/** Splits a path without its trailing slash, which routes accept. */
function splitPath(path: string): string[] {
  const segments = path.split('/');
  segments.shift();
  if (segments.at(-1) === '') segments.pop();
  return segments;
}

function collect<R>(node: Node<R>, segments: readonly string[], depth: number, found: Entry<R>[]): void {
  found.push(...node.open);
  const segment = segments[depth];
  if (segment === undefined) return void found.push(...node.ends);
  const text = node.texts.get(segment);
  if (text) collect(text, segments, depth + 1, found);
  if (node.parameter) collect(node.parameter, segments, depth + 1, found);
}
