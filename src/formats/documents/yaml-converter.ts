import { isAlias, isMap, isScalar, isSeq, type Alias, type ParsedNode, type Scalar, type YAMLMap } from 'yaml';
import { type DocumentBuilder } from './document-builder.js';
import { TEMPLATE_DETAIL, TEMPLATE_REMEDY } from './template-text.js';
import { type Json, asText } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { InexactNumber, parsePlainScalar } from './yaml-scalar.js';

interface MappingMember {
  key: string;
  offset: number;
  value: Json;
}

/** The bytes counted for each node in addition to its text, so that empty nodes count as well. */
const NODE_BYTES = 32;
const STANDARD_TAG_PREFIX = 'tag:yaml.org,2002:';
const PLAIN_TYPES: ReadonlyMap<string | undefined, string> = new Map(
  ['int', 'float', 'bool', 'null'].map((name) => [STANDARD_TAG_PREFIX + name, name]),
);

/** Stops the conversion of a document whose aliases expand too much, or that is a template. */
class ConversionStopped extends Error {}

/** Converts the nodes of one document to plain data: types of plain scalars, anchors, merge keys and tags. */
export class YamlConverter {
  /** Local tags by the pointer of their value. */
  readonly tags: Record<string, string> = {};
  private readonly anchors = new Map<string, ParsedNode>();
  private readonly openAnchors = new Set<string>();
  private aliases = 0;
  private aliasBytes = 0;

  constructor(
    private readonly builder: DocumentBuilder,
    private readonly source: string,
  ) {}

  convert(root: ParsedNode | null): Json {
    try {
      return this.value(root, [], 0);
    } catch (error) {
      if (error instanceof ConversionStopped) return null;
      throw error;
    }
  }

  private value(node: ParsedNode | null, path: readonly string[], expanding: number): Json {
    if (node === null) return null;
    if (isAlias(node)) return this.alias(node, path, expanding);
    if (expanding > 0) this.countExpandedBytes(node);
    const anchor = node.anchor;
    if (anchor === undefined) return this.content(node, path, expanding);
    if (expanding === 0) this.anchors.set(anchor, node);
    this.openAnchors.add(anchor);
    const value = this.content(node, path, expanding);
    this.openAnchors.delete(anchor);
    return value;
  }

  private content(node: Exclude<ParsedNode, Alias.Parsed>, path: readonly string[], expanding: number): Json {
    const offset = node.range[0];
    if (isScalar(node)) return this.scalar(node, path);
    if (path.length >= this.builder.limits.depth) {
      this.builder.addTooDeepFault(offset);
      throw new ConversionStopped();
    }
    this.keepTag(node.tag, isMap(node) ? 'map' : 'seq', path, offset);
    if (isMap(node)) return this.builder.buildObject(this.members(node, path, expanding));
    return this.builder.buildList(
      node.items.map((item, index) => ({
        offset: item.range[0],
        value: this.value(item, [...path, String(index)], expanding),
      })),
    );
  }

  /** The members of a mapping. Merged members (`<<`) are placed at the merge key; the mapping's own keys take precedence. */
  private members(
    node: YAMLMap<ParsedNode, ParsedNode | null>,
    path: readonly string[],
    expanding: number,
  ): MappingMember[] {
    const own = new Set(node.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')));
    const members: MappingMember[] = [];
    let merged = false;
    for (const { key, value } of node.items) {
      const offset = key.range?.[0] ?? node.range?.[0] ?? 0;
      if (isScalar(key) && key.type === 'PLAIN' && key.value === '<<') {
        if (merged) this.builder.addFault(offset, 'the key "<<" is given twice', 'Merge a list: "<<: [*one, *two]".');
        merged = true;
        members.push(...this.mergedMembers(value, offset, path, expanding).filter((member) => !own.has(member.key)));
        continue;
      }
      const name = this.key(key, offset);
      if (name !== undefined) members.push({ key: name, offset, value: this.value(value, [...path, name], expanding) });
    }
    return members;
  }

  private mergedMembers(
    node: ParsedNode | null,
    offset: number,
    path: readonly string[],
    expanding: number,
  ): MappingMember[] {
    const members = new Map<string, MappingMember>();
    for (const source of isSeq(node) ? node.items : [node]) {
      const value = this.value(source, path, expanding);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        if (!this.builder.faults.isEmpty) continue;
        this.builder.addFault(offset, '"<<" merges something that is not a mapping', 'Merge mappings only.');
        continue;
      }
      for (const key of Object.keys(value)) {
        if (!members.has(key)) members.set(key, { key, offset, value: value[key] ?? null });
      }
    }
    return [...members.values()];
  }

  /** Keys are kept as written: `on`, `8080` and `1.10` keep their spelling. */
  private key(key: ParsedNode, offset: number): string | undefined {
    const node = isAlias(key) ? this.anchors.get(key.source) : key;
    if (node && isScalar(node)) {
      if (node.anchor !== undefined) this.anchors.set(node.anchor, node);
      return this.builder.checkText(String(node.value), offset);
    }
    if (this.builder.isTemplateAt(offset)) {
      this.builder.addFault(offset, TEMPLATE_DETAIL, TEMPLATE_REMEDY);
      throw new ConversionStopped();
    }
    this.builder.addFault(offset, 'a key must be text', 'Quote the key.');
    return undefined;
  }

  private alias(node: Alias.Parsed, path: readonly string[], expanding: number): Json {
    const offset = node.range[0];
    const { aliases } = this.builder.limits;
    const target = this.anchors.get(node.source);
    if (!target) {
      this.builder.addFault(
        offset,
        `the alias *${node.source} has no anchor before it`,
        'Define it, or quote the value.',
      );
      return null;
    }
    if (this.openAnchors.has(node.source)) {
      this.builder.addFault(offset, `the alias *${node.source} stands inside its own anchor`, 'Write the content out.');
      return null;
    }
    if (expanding === 0) this.aliases += 1;
    if (this.aliases > aliases) {
      this.builder.addFault(offset, `has more than ${aliases} aliases`, 'Write the content out.');
      throw new ConversionStopped();
    }
    return this.value(target, path, expanding + 1);
  }

  private countExpandedBytes(node: Exclude<ParsedNode, Alias.Parsed>): void {
    const { aliasBytes } = this.builder.limits;
    this.aliasBytes += isScalar(node) ? String(node.value).length + NODE_BYTES : NODE_BYTES;
    if (this.aliasBytes <= aliasBytes) return;
    const detail = `aliases expand to more than ${aliasBytes} bytes`;
    this.builder.addFault(node.range[0], detail, 'Write the content out.');
    throw new ConversionStopped();
  }

  private scalar(node: Scalar.Parsed, path: readonly string[]): Json {
    const offset = node.range[0];
    const text = this.builder.checkText(this.withoutAddedLineBreak(node, asText(node.value as Json)), offset);
    const tag = node.tag;
    if (tag === `${STANDARD_TAG_PREFIX}str` || tag === `${STANDARD_TAG_PREFIX}timestamp`) return text;
    const known = PLAIN_TYPES.get(tag);
    if (known === undefined) this.keepTag(tag, 'str', path, offset);
    if (known === undefined && node.type !== 'PLAIN') return text;
    try {
      const value = parsePlainScalar(text, this.builder.dialect);
      if (known !== undefined && !matchesTag(value, known))
        this.builder.addFault(offset, `is tagged !!${known} but is not`);
      return value;
    } catch (error) {
      if (!(error instanceof InexactNumber)) throw error;
      return this.builder.keepInexactNumber(error, offset);
    }
  }

  /** The parser terminates the last line of a block although the file does not; go-yaml, used by kubectl and Compose, keeps the text unchanged. */
  private withoutAddedLineBreak(node: Scalar.Parsed, text: string): string {
    const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED';
    if (!isBlock || !text.endsWith('\n') || node.range[1] < this.source.length) return text;
    return this.source.slice(this.source.lastIndexOf('\n') + 1).trim() !== '' ? text.slice(0, -1) : text;
  }

  private keepTag(tag: string | undefined, plain: string, path: readonly string[], offset: number): void {
    if (tag === undefined || tag === STANDARD_TAG_PREFIX + plain) return;
    if (!tag.startsWith('tag:')) this.tags[toPointer(...path)] = tag;
    else
      this.builder.addFault(
        offset,
        `the tag ${tag.replace(STANDARD_TAG_PREFIX, '!!')} is not accepted`,
        'Write plain data.',
      );
  }
}

function matchesTag(value: Json, tag: string): boolean {
  if (tag === 'null') return value === null;
  if (tag === 'bool') return typeof value === 'boolean';
  return typeof value === 'number' && (tag === 'float' || Number.isInteger(value));
}
