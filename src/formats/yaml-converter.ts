import { isAlias, isMap, isScalar, isSeq, type Alias, type ParsedNode, type Scalar, type YAMLMap } from 'yaml';
import { type DocumentBuilder } from './document-builder.js';
import { type Json, pointerTo, textOf } from './located.js';
import { type Dialect, InexactNumber, resolvePlain } from './yaml-scalar.js';

interface Member {
  key: string;
  offset: number;
  value: Json;
}

/** What a node takes beside its text; without it, empty nodes would be free. */
const NODE_BYTES = 32;
const STANDARD = 'tag:yaml.org,2002:';

/** Stops the conversion of a document whose aliases stand for too much. */
class TooMuch extends Error {}

/** Turns the nodes of one document into plain data: types of plain scalars, anchors, merge keys and tags. */
export class YamlConverter {
  /** Local tags by the pointer of what carries them. */
  readonly tags: Record<string, string> = {};
  private readonly anchors = new Map<string, ParsedNode>();
  private readonly open = new Set<string>();
  private aliases = 0;
  private aliasBytes = 0;

  constructor(
    private readonly builder: DocumentBuilder,
    private readonly dialect: Dialect,
  ) {}

  convert(root: ParsedNode | null): Json {
    try {
      return this.value(root, [], 0);
    } catch (error) {
      if (error instanceof TooMuch) return null;
      throw error;
    }
  }

  private value(node: ParsedNode | null, path: readonly string[], expanding: number): Json {
    if (node === null) return null;
    if (isAlias(node)) return this.alias(node, path, expanding);
    if (expanding > 0) this.spend(node);
    const anchor = node.anchor;
    if (anchor === undefined) return this.content(node, path, expanding);
    if (expanding === 0) this.anchors.set(anchor, node);
    this.open.add(anchor);
    const value = this.content(node, path, expanding);
    this.open.delete(anchor);
    return value;
  }

  private content(node: Exclude<ParsedNode, Alias.Parsed>, path: readonly string[], expanding: number): Json {
    const offset = node.range[0];
    if (isScalar(node)) return this.scalar(node, path);
    if (path.length >= this.builder.limits.depth) {
      this.builder.tooDeep(offset);
      throw new TooMuch();
    }
    this.keepTag(node.tag, isMap(node) ? 'map' : 'seq', path, offset);
    if (isMap(node)) return this.builder.object(this.members(node, path, expanding));
    return this.builder.list(
      node.items.map((item, index) => ({
        offset: item.range[0],
        value: this.value(item, [...path, String(index)], expanding),
      })),
    );
  }

  /** The members of a mapping. What `<<` merges in stands where the merge key stood; the mapping's own keys win over it. */
  private members(node: YAMLMap<ParsedNode, ParsedNode | null>, path: readonly string[], expanding: number): Member[] {
    const own = new Set(node.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')));
    const members: Member[] = [];
    let merged = false;
    for (const { key, value } of node.items) {
      const offset = key.range?.[0] ?? node.range?.[0] ?? 0;
      if (isScalar(key) && key.type === 'PLAIN' && key.value === '<<') {
        if (merged) this.builder.fault(offset, 'the key "<<" is given twice', 'Merge a list: "<<: [*one, *two]".');
        merged = true;
        members.push(...this.merged(value, offset, path, expanding).filter((member) => !own.has(member.key)));
        continue;
      }
      const name = this.key(key, offset);
      if (name !== undefined) members.push({ key: name, offset, value: this.value(value, [...path, name], expanding) });
    }
    return members;
  }

  private merged(node: ParsedNode | null, offset: number, path: readonly string[], expanding: number): Member[] {
    const members = new Map<string, Member>();
    for (const source of isSeq(node) ? node.items : [node]) {
      const value = this.value(source, path, expanding);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        if (!this.builder.faults.empty) continue;
        this.builder.fault(offset, '"<<" merges something that is not a mapping', 'Merge mappings only.');
        continue;
      }
      for (const key of Object.keys(value)) {
        if (!members.has(key)) members.set(key, { key, offset, value: value[key] ?? null });
      }
    }
    return [...members.values()];
  }

  /** Keys are text as it is written: `on`, `8080` and `1.10` keep their spelling. */
  private key(key: ParsedNode, offset: number): string | undefined {
    const node = isAlias(key) ? this.anchors.get(key.source) : key;
    if (node && isScalar(node)) {
      if (node.anchor !== undefined) this.anchors.set(node.anchor, node);
      return this.builder.text(String(node.value), offset);
    }
    this.builder.fault(offset, 'a key must be text', 'Quote the key; write "{{ … }}" templates out before the import.');
    return undefined;
  }

  private alias(node: Alias.Parsed, path: readonly string[], expanding: number): Json {
    const offset = node.range[0];
    const { aliases } = this.builder.limits;
    const target = this.anchors.get(node.source);
    if (!target) {
      this.builder.fault(offset, `the alias *${node.source} has no anchor before it`, 'Define it, or quote the value.');
      return null;
    }
    if (this.open.has(node.source)) {
      this.builder.fault(offset, `the alias *${node.source} stands inside its own anchor`, 'Write the content out.');
      return null;
    }
    if (expanding === 0) this.aliases += 1;
    if (this.aliases > aliases) {
      this.builder.fault(offset, `has more than ${aliases} aliases`, 'Write the content out.');
      throw new TooMuch();
    }
    return this.value(target, path, expanding + 1);
  }

  private spend(node: Exclude<ParsedNode, Alias.Parsed>): void {
    const { aliasBytes } = this.builder.limits;
    this.aliasBytes += isScalar(node) ? String(node.value).length + NODE_BYTES : NODE_BYTES;
    if (this.aliasBytes <= aliasBytes) return;
    this.builder.fault(node.range[0], `aliases stand for more than ${aliasBytes} bytes`, 'Write the content out.');
    throw new TooMuch();
  }

  private scalar(node: Scalar.Parsed, path: readonly string[]): Json {
    const offset = node.range[0];
    const text = this.builder.text(textOf(node.value as Json), offset);
    const tag = node.tag;
    if (tag === `${STANDARD}str` || tag === `${STANDARD}timestamp`) return text;
    const known = ['int', 'float', 'bool', 'null'].find((name) => tag === STANDARD + name);
    if (known === undefined) this.keepTag(tag, 'str', path, offset);
    if (known === undefined && node.type !== 'PLAIN') return text;
    try {
      const value = resolvePlain(text, this.dialect);
      if (known !== undefined && !fits(value, known)) this.builder.fault(offset, `is tagged !!${known} but is not`);
      return value;
    } catch (error) {
      if (!(error instanceof InexactNumber)) throw error;
      if (this.builder.limits.roundNumbers) return error.nearest;
      this.builder.fault(offset, error.message, 'Quote it if it is a name or an identifier.');
      return null;
    }
  }

  private keepTag(tag: string | undefined, plain: string, path: readonly string[], offset: number): void {
    if (tag === undefined || tag === STANDARD + plain) return;
    if (!tag.startsWith('tag:')) this.tags[pointerTo(...path)] = tag;
    else this.builder.fault(offset, `the tag ${tag.replace(STANDARD, '!!')} is not accepted`, 'Write plain data.');
  }
}

function fits(value: Json, tag: string): boolean {
  if (tag === 'null') return value === null;
  if (tag === 'bool') return typeof value === 'boolean';
  return typeof value === 'number' && (tag === 'float' || Number.isInteger(value));
}
