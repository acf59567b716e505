import { createHash } from 'node:crypto';
import { readActions, type TemplateAction, type TemplateToken } from './template-actions.js';

/** A call in a template that asks the API of the chart. */
export interface TemplateSite {
  id: string;
  /** The path of the template within the chart. */
  path: string;
  line: number;
  /** The name of the function that generates a value, or the text of a condition. */
  text: string;
}

/** A template with its calls replaced; it has as many lines as before. */
export interface InstrumentedTemplate {
  text: string;
  sites: TemplateSite[];
}

export interface InstrumentOptions {
  /** Whether there is no cluster: conditions on it are noted, and `lookup` finds nothing. */
  isAssumed: boolean;
  /** Whether Helm renders it by itself, so that others that include it want what it renders to. */
  isRendered?: boolean;
  /** Names of templates that generate values, or include one that does. */
  generating?: ReadonlySet<string>;
}

/** The group version of the kinds below. No API has it; charts see it only where a template was changed to ask it. */
export const INTERNAL_API = 'armature.internal/v1';
/** A generated value; a template that generates one is called; a file that does begins or ends; text that is a template; a condition is judged. */
export const INTERNAL_KINDS = ['Generated', 'Call', 'File', 'Template', 'Reached'] as const;
export type InternalKind = (typeof INTERNAL_KINDS)[number];
/** The name with which a template asks for the value that it was just given. */
export const AGAIN = 'again';
/** What a file says of itself; the other word is `end`. */
export const BEGIN = 'begin';

/** A call with the arguments of `lookup` that finds nothing. */
export const EMPTY_LOOKUP = 'pick (dict)';

type ValueType = 'value' | 'time' | 'certificate';

/** The template functions whose results differ from call to call, by what they return. */
const GENERATING_FUNCTIONS: Record<ValueType, string> = {
  value:
    'randAlphaNum randAlpha randAscii randNumeric randBytes randInt uuidv4 ago genPrivateKey htpasswd bcrypt encryptAES shuffle',
  time: 'now',
  certificate: 'genCA genCAWithKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey',
};
const GENERATORS: ReadonlyMap<string, ValueType> = new Map(
  Object.entries(GENERATING_FUNCTIONS).flatMap(([type, names]) =>
    names.split(' ').map((name) => [name, type as ValueType] as const),
  ),
);
/** They need no arguments, and may be an argument themselves. */
const WITHOUT_ARGUMENTS = new Set(['now', 'uuidv4']);
const GENERATOR_CALL = `\\b(${[...GENERATORS.keys()].join('|')})\\b`;

const BLOCKS = new Set(['if', 'with', 'range', 'define', 'block']);
/** Words at the beginning of an action, before a pipeline. */
const KEYWORDS = new Set([...BLOCKS, 'else', 'end', 'template', 'break', 'continue']);

/** Thrown within this file for text that is left as it is, so that Helm reports what is wrong with it, if anything. */
class Unbalanced extends Error {}

type Node = TemplateToken | { group: Node[] };

/** An expression, and its copy: the same with the values that it has generated the last time, on one line. */
interface Expression {
  text: string;
  copy: string;
}

interface Block {
  keyword: string;
  /** The name of a template that it defines. */
  defines?: string;
  /** Of a `range`: where its current item is assigned to a variable, if anything in it needs that. */
  loop?: { variable: string; isUsed: boolean };
}

/** The names of templates that each template of a file includes or defines, to find those that generate values. */
export interface TemplateCalls {
  /** Undefined for the file itself. */
  define: string | undefined;
  includes: string[];
  generates: boolean;
}

/** The calls of a template file, by the templates that it defines; none of a file that is left as it is. */
export function listCalls(text: string): TemplateCalls[] {
  try {
    return readCalls(readActions(text) ?? []);
  } catch (error) {
    if (error instanceof Unbalanced) return [];
    throw error;
  }
}

function readCalls(actions: readonly TemplateAction[]): TemplateCalls[] {
  const all = new Map<string | undefined, TemplateCalls>();
  const blocks: Block[] = [];
  for (const { tokens } of actions) {
    const words = tokens.filter(({ kind }) => kind !== 'space');
    trackBlock(blocks, words);
    const define = blocks.findLast(({ defines }) => defines !== undefined)?.defines;
    const calls = all.get(define) ?? { define, includes: [], generates: false };
    all.set(define, calls);
    for (const [index, { kind, text: word }] of words.entries()) {
      if (kind !== 'word') continue;
      if (GENERATORS.has(word)) calls.generates = true;
      const name = word === 'include' ? readString(words[index + 1]) : undefined;
      if (name !== undefined) calls.includes.push(name);
    }
  }
  return [...all.values()];
}

/** Of the templates of a chart, those that generate values, also by including others. */
export function findGenerating(calls: readonly TemplateCalls[]): Set<string> {
  const found = new Set<string>();
  const including = new Map<string, string[]>();
  for (const { define, includes, generates } of calls) {
    if (define === undefined) continue;
    if (generates) found.add(define);
    for (const name of includes) {
      const others = including.get(name);
      if (others) others.push(define);
      else including.set(name, [define]);
    }
  }
  // Those that are added on the way are visited, too.
  for (const name of found) for (const one of including.get(name) ?? []) found.add(one);
  return found;
}

/**
 * Replaces calls of a template so that they ask the API of its chart: what generates a value sends its candidate, with its arguments and
 * the items of the loops around it, and uses the value in the response.
 * @param path identifies the template, also when the chart has another version
 */
export function instrumentTemplate(path: string, text: string, options: InstrumentOptions): InstrumentedTemplate {
  const actions = readActions(text);
  if (!actions) return { text, sites: [] };
  try {
    return new Instruments(path, text, options).rewrite(actions);
  } catch (error) {
    if (error instanceof Unbalanced) return { text, sites: [] };
    throw error;
  }
}

class Instruments {
  private readonly sites: TemplateSite[] = [];
  private readonly blocks: Block[] = [];
  private readonly seen = new Map<string, number>();
  private line = 1;
  /** Whether the file generates something outside of the templates that it defines. */
  private generates = false;

  constructor(
    private readonly path: string,
    private readonly text: string,
    private readonly options: InstrumentOptions,
  ) {}

  rewrite(actions: readonly TemplateAction[]): InstrumentedTemplate {
    const pieces: (() => string)[] = [];
    let end = 0;
    for (const action of actions) {
      const before = this.text.slice(end, action.start);
      const rewritten = this.rewriteAction(action);
      pieces.push(() => before + rewritten());
      end = action.end;
    }
    const text = pieces.map((piece) => piece()).join('') + this.text.slice(end);
    const isRendered = this.generates && this.options.isRendered;
    return { text: isRendered ? this.say(BEGIN) + text + this.say('end') : text, sites: this.sites };
  }

  /** An action without output. */
  private say(word: string): string {
    return `{{ $_ := ${ask('File', idOf(this.path))} "${word}" }}`;
  }

  /** The text of an action, once everything within its block has been read. */
  private rewriteAction({ open, close, tokens, line }: TemplateAction): () => string {
    this.line = line;
    const length = headLength(tokens);
    const [head, pipeline] = [tokens.slice(0, length), tokens.slice(length)];
    // The pipeline of a loop is not within the loop.
    const text = open + textOf(head) + (pipeline.some(isContent) ? this.rewriteTop(pipeline) : textOf(pipeline));
    const loop = trackBlock(this.blocks, tokens.filter(isContent), this.blocks.length)?.loop;
    const variables = head.filter(({ kind }) => kind === 'variable').map((variable) => variable.text);
    const items = variables.length > 0 ? variables.join(' ') : '.';
    return () => (loop?.isUsed ? `${text} }}{{ ${loop.variable} := list ${items} ${close}` : text + close);
  }

  private rewriteTop(pipeline: TemplateToken[]): string {
    const { text } = this.rewritePipeline(toNodes(pipeline));
    if (!this.options.isAssumed || !dependsOnCluster(pipeline)) return text;
    return ` and (${ask('Reached', this.addSite(textOf(pipeline).trim()))} "x") (${text}) `;
  }

  private rewritePipeline(nodes: Node[]): Expression {
    let pipeline: Expression | undefined;
    for (const command of splitCommands(nodes)) pipeline = this.rewriteCommand(command, pipeline);
    return pipeline ?? { text: '', copy: '' };
  }

  /** @param before the commands whose result is the last argument of this one */
  private rewriteCommand(command: Node[], before: Expression | undefined): Expression {
    const [[first] = [], ...operands] = splitOperands(command);
    const name = first && 'kind' in first && first.kind === 'word' ? first.text : '';
    const type = GENERATORS.get(name);
    if (type !== undefined) return this.rewriteGenerator(name, type, operands, before);
    // Each operand is rewritten once, because it may have others within.
    if (name === 'tpl' && !before && operands.length > 1) return this.rewriteTemplate(operands);
    if (name === 'lookup' && this.options.isAssumed) {
      const { text, copy } = this.rewriteOperands(command.slice(command.indexOf(first as Node) + 1));
      return joinCommands(before, { text: ` ${EMPTY_LOOKUP} ${text}`, copy: ` ${EMPTY_LOOKUP} ${copy}` });
    }
    const target = name === 'include' ? readString(operands[0]?.[0]) : undefined;
    const joined = joinCommands(before, this.rewriteOperands(command));
    if (target !== undefined && this.options.generating?.has(target))
      return { ...joined, text: ` list ${this.askCall(command, target)} (${joined.text}) | last ` };
    // Go lists the keys of a map in no order, so that any is right.
    if (name === 'keys') return { text: `${joined.text} | sortAlpha `, copy: `${joined.copy} | sortAlpha ` };
    return joined;
  }

  private rewriteGenerator(name: string, type: ValueType, operands: Node[][], before?: Expression): Expression {
    const given = operands.map((operand) => this.rewriteOperands(operand));
    const text = [name, ...given.map((each) => each.text)].join(' ');
    const call = before ? `${before.text} | ${text}` : text;
    const copies = [...given.map(({ copy }) => copy), ...(before ? [`(${before.copy})`] : [])].join(' ');
    const site = this.addSite(name, textOf(flatten(operands.flat())));
    this.noteGenerating();
    const asked = ask('Generated', this.placeOf(site));
    const kept = `list (${call}) (list ${copies}) ${this.loopItems()} | ${ENCODE} | ${asked}`;
    const again = `${asked} "${AGAIN}"`;
    return { text: ` ${toValue(type, kept, again)} `, copy: ` ${toValue(type, again, again)} ` };
  }

  /** Tells which call of a template is next, so that what it generates does not depend on calls before it. */
  private askCall(command: Node[], target: string): string {
    const site = this.addSite('include', textOf(flatten(command)).trim());
    this.noteGenerating();
    const items = this.loopItems();
    const payload = items === '' ? '"x"' : `(list ${items} | ${ENCODE})`;
    return `(${ask('Call', `${site}.${idOf(target)}.${this.enclosing()}`)} ${payload})`;
  }

  /** Text that may generate something is instrumented before it is used as a template. */
  private rewriteTemplate([text = [], ...context]: Node[][]): Expression {
    const { text: once, copy } = this.rewriteOperands(text);
    const rest = context.map((each) => this.rewriteOperands(each));
    const asked = `${copy} | b64enc | replace "/" "_" | ${ask('Template', this.addSite('tpl'))} | dig "v" ""`;
    const matches = `regexMatch ${JSON.stringify(GENERATOR_CALL)} ${copy}`;
    const [texts, copies] = [rest.map((each) => each.text).join(' '), rest.map((each) => each.copy).join(' ')];
    return { text: ` tpl (or (and (${matches}) (${asked})) ${once}) ${texts} `, copy: ` tpl ${copy} ${copies} ` };
  }

  private rewriteOperands(nodes: Node[]): Expression {
    const first = nodes.find(isContent);
    const all = nodes.map((node): Expression => {
      if ('group' in node) {
        const { text, copy } = this.rewritePipeline(node.group);
        return { text: `(${text})`, copy: `(${copy})` };
      }
      const type = WITHOUT_ARGUMENTS.has(node.text) ? GENERATORS.get(node.text) : undefined;
      if (node.kind === 'word' && type !== undefined && (nodes.length === 1 || node !== first)) {
        const { text, copy } = this.rewriteGenerator(node.text, type, []);
        return { text: `(${text})`, copy: `(${copy})` };
      }
      return { text: node.text, copy: onOneLine(node) };
    });
    return { text: all.map(({ text }) => text).join(''), copy: all.map(({ copy }) => copy).join('') };
  }

  /** The variables with the items of the loops around the current action. */
  private loopItems(): string {
    const loops = this.blocks.flatMap(({ loop }) => loop ?? []);
    for (const loop of loops) loop.isUsed = true;
    return loops.map(({ variable }) => variable).join(' ');
  }

  private noteGenerating(): void {
    this.generates ||= this.blocks.every(({ defines }) => defines === undefined);
  }

  private enclosing(): string {
    const { defines = '' } = this.blocks.findLast(({ defines: name }) => name !== undefined) ?? {};
    return idOf(defines);
  }

  private placeOf(site: string): string {
    return `${site}.${this.enclosing()}`;
  }

  /** @param details what else identifies the call in its template */
  private addSite(text: string, details = ''): string {
    const identity = JSON.stringify([this.path, this.enclosing(), text, details]);
    if (this.sites.length >= MAX_SITES) throw new Unbalanced();
    const occurrence = this.seen.get(identity) ?? 0;
    this.seen.set(identity, occurrence + 1);
    const id = idOf(`${identity}#${occurrence}`);
    this.sites.push({ id, path: this.path, line: this.line, text });
    return id;
  }
}

/** Opens and closes the blocks of a template; returns the one that an action opens. */
function trackBlock(blocks: Block[], words: readonly TemplateToken[], depth = blocks.length): Block | undefined {
  const [first, second] = words;
  if (first?.kind !== 'word') return undefined;
  const current = blocks.at(-1);
  if (first.text === 'end') blocks.pop();
  // Nothing is assigned where a loop has no item.
  else if (first.text === 'else') delete current?.loop;
  if (!BLOCKS.has(first.text)) return undefined;
  const names = first.text === 'define' || first.text === 'block' ? readString(second) : undefined;
  if (blocks.length >= MAX_DEPTH) throw new Unbalanced();
  const block: Block = {
    keyword: first.text,
    ...(names === undefined ? {} : { defines: names }),
    ...(first.text === 'range' ? { loop: { variable: `$armature${depth}`, isUsed: false } } : {}),
  };
  blocks.push(block);
  return block;
}

/** The number of tokens before the pipeline of an action: keywords, the name of a template, and the variables that are assigned. */
function headLength(tokens: readonly TemplateToken[]): number {
  const words = tokens.filter(isContent);
  let count = 0;
  while (words[count]?.kind === 'word' && KEYWORDS.has(words[count]?.text ?? '')) count += 1;
  if (['template', 'block', 'define'].includes(words[count - 1]?.text ?? '')) count += 1;
  let at = count;
  while (words[at]?.kind === 'variable' || words[at]?.text === ',') at += 1;
  if (at > count && (words[at]?.text === ':=' || words[at]?.text === '=')) count = at + 1;
  const last = words[count - 1];
  return last ? tokens.indexOf(last) + 1 : 0;
}

function toNodes(tokens: readonly TemplateToken[]): Node[] {
  const open: Node[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'open') open.push([]);
    else if (token.kind === 'close') {
      const group = open.pop();
      if (!group || open.length === 0 || open.length > MAX_DEPTH) throw new Unbalanced();
      open.at(-1)?.push({ group });
    } else open.at(-1)?.push(token);
  }
  if (open.length > 1) throw new Unbalanced();
  return open[0] ?? [];
}

function splitCommands(nodes: readonly Node[]): Node[][] {
  const commands: Node[][] = [[]];
  for (const node of nodes)
    if ('kind' in node && node.kind === 'pipe') commands.push([]);
    else commands.at(-1)?.push(node);
  return commands;
}

/** The function of a command and its arguments; a chain of fields is one. */
function splitOperands(command: readonly Node[]): Node[][] {
  const operands: Node[][] = [];
  for (const [index, node] of command.entries())
    if (!isContent(node)) continue;
    else if (index > 0 && isContent(command[index - 1] as Node)) operands.at(-1)?.push(node);
    else operands.push([node]);
  return operands;
}

const joinCommands = (before: Expression | undefined, next: Expression): Expression =>
  before ? { text: `${before.text}|${next.text}`, copy: `${before.copy}|${next.copy}` } : next;

/** Deeper pipelines and blocks, and files with more calls, occur in no chart. */
const MAX_DEPTH = 100;
const MAX_SITES = 5_000;

const ENCODE = 'toJson | b64enc | replace "/" "_"';

const ask = (kind: InternalKind, place: string): string => `lookup "${INTERNAL_API}" "${kind}" "${place}"`;

/** The value of a response as the function would return it. */
function toValue(type: ValueType, response: string, again: string): string {
  if (type === 'value') return `${response} | dig "v" ""`;
  if (type === 'time') return `${response} | dig "v" "" | toDate "2006-01-02T15:04:05Z07:00"`;
  return `buildCustomCert (${response} | dig "v" "Cert" "" | b64enc) (${again} | dig "v" "Key" "" | b64enc)`;
}

/** Whether an action reads the version or the APIs of the cluster, or its objects. */
function dependsOnCluster(tokens: readonly TemplateToken[]): boolean {
  return tokens.some(
    ({ kind, text }, index) =>
      (kind === 'word' && text === 'lookup') ||
      (text === '.Capabilities' && tokens[index + 1]?.text !== '.HelmVersion'),
  );
}

function isContent(node: Node): boolean {
  return 'group' in node || node.kind !== 'space';
}

const flatten = (nodes: readonly Node[]): TemplateToken[] =>
  nodes.flatMap((node) =>
    'group' in node
      ? [{ kind: 'open', text: '(' } as const, ...flatten(node.group), { kind: 'close', text: ')' } as const]
      : [node],
  );

const textOf = (tokens: readonly TemplateToken[]): string => tokens.map(({ text }) => text).join('');

function onOneLine({ kind, text }: TemplateToken): string {
  if (kind === 'space') return ' ';
  return text.startsWith('`') && text.includes('\n') ? JSON.stringify(text.slice(1, -1)) : text;
}

/** The value of a string constant, if it is one without escapes. */
function readString(node: Node | undefined): string | undefined {
  const [, name] = (node && 'kind' in node && /^["`]([^"`\\]*)["`]$/.exec(node.text)) || [];
  return name;
}

const idOf = (identity: string): string => createHash('sha256').update(identity).digest('hex').slice(0, 16);
