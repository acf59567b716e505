import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asObject, asText, isObject, type Json, type JsonObject } from '../../src/core/json/json.js';
import { toCanonicalDesign } from '../../src/formats/design-file/canonical-design.js';
import type { DesignFile } from '../../src/formats/design-file/design-file.js';
import { parseDocuments } from '../../src/formats/documents/parse-documents.js';
import { readRelationshipDefinition } from '../../src/registry/packages/relationship-definition-reader.js';
import { evaluate } from '../../src/registry/relationships/evaluation/evaluate.js';
import type { ModelledDefinition } from '../../src/registry/relationships/evaluation/evaluation.js';
import { canonicalKey } from '../../src/registry/relationships/evaluation/value-join.js';
import { relationshipKeyOf, tripleOf } from '../../src/registry/relationships/evaluation/relationship.js';
import { table } from '../support/load.js';

/**
 * Evaluates published designs by the definitions of their own tool and compares the result with the relationships that this tool recorded in
 * them. `npm run bench:relationships -- FOLDER…` reads designs and definitions of the folders and of the corpus; a definition that no file has
 * is taken from the clauses that a recorded relationship carries. With `--differences` every pair that is missed or contradicts is printed.
 */
const isVerbose = process.argv.includes('--differences');
const corpus = process.env['CORPUS_DIR'];
const folders = process.argv.slice(2).filter((name) => !name.startsWith('--'));
if (corpus) folders.push(join(corpus, 'meshery', 'designs'), join(corpus, 'meshery', 'models'));
if (folders.length === 0) throw new Error('name a folder of designs, or set CORPUS_DIR');

type State = 'active' | 'deleted';

/** A relationship between two components, as a text that is equal for both sides of the comparison. */
interface Pair {
  kind: string;
  key: string;
}

class Score {
  recorded = 0;
  ours = 0;
  both = 0;
  otherwise = 0;
  contradicting = 0;
}

/** What a recorded sibling relationship does not carry: the labels of anything. */
const LABELLED = { kind: '*', model: { name: '*' }, match: { refs: [['configuration', 'metadata', 'labels']] } };
const SIBLINGS: JsonObject = {
  kind: 'hierarchical',
  type: 'sibling',
  subType: 'matchlabels',
  model: { name: 'kubernetes' },
  selectors: [{ allow: { from: [LABELLED], to: [LABELLED] }, deny: { from: [], to: [] } }],
};

const KINDS = ['parent inventory', 'parent alias', 'sibling matchlabels', 'binding permission', 'non-binding network'];

function kindOf({ type, subType }: JsonObject): string {
  return `${asText(type)} ${asText(subType)}`.toLowerCase();
}

function clausesOf(relationship: JsonObject, side: 'from' | 'to'): JsonObject[] {
  const { selectors } = relationship;
  const [set] = Array.isArray(selectors) ? selectors : [];
  const list = asObject(asObject(set)['allow'])[side];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function endsOf(relationship: JsonObject, side: 'from' | 'to'): string[] {
  return clausesOf(relationship, side).map(({ id }) => asText(id));
}

/** Siblings count by pairs in either order: one relationship may have all members at both ends, or the first before the others. */
function pairsOf(relationship: JsonObject): Pair[] {
  const kind = kindOf(relationship);
  const [from, to] = [endsOf(relationship, 'from'), endsOf(relationship, 'to')];
  if (!kind.startsWith('sibling')) return from.flatMap((one) => to.map((other) => ({ kind, key: `${one} ${other}` })));
  const members = [...new Set([...from, ...to])].sort();
  return members.flatMap((one, index) => members.slice(index + 1).map((other) => ({ kind, key: `${one} ${other}` })));
}

/** Siblings that share no label are not ones, whatever was recorded before their labels were changed. */
function shareLabel(design: DesignFile, key: string): boolean {
  const [one, other] = key
    .split(' ')
    .map((id) => design.components.find((component) => component.id === id))
    .map((component) => asObject(asObject(component?.configuration['metadata'])['labels']));
  return Object.entries(one ?? {}).some(([label, value]) => value !== '' && value !== null && other?.[label] === value);
}

/** What was recorded before the design switched it off is not looked for. */
function isSwitchedOff({ preferences }: DesignFile, relationship: JsonObject): boolean {
  const layers = asObject(asObject(preferences['layers'])['relationships']);
  return layers[tripleOf(relationshipKeyOf(relationship))] === false;
}

function countPairs(design: DesignFile, relationships: readonly JsonObject[], state?: State): Map<string, Pair> {
  const ids = new Set(design.components.map(({ id }) => id));
  const counted = new Map<string, Pair>();
  for (const relationship of relationships) {
    const isDeleted = relationship['status'] === 'deleted';
    if (isSwitchedOff(design, relationship)) continue;
    if (state !== undefined && (state === 'deleted') !== isDeleted) continue;
    for (const pair of pairsOf(relationship)) {
      if (!pair.key.split(' ').every((id) => ids.has(id))) continue;
      if (pair.kind.startsWith('sibling') && !shareLabel(design, pair.key)) continue;
      counted.set(`${pair.kind} ${pair.key}`, pair);
    }
  }
  return counted;
}

/** The design as its tool has it before an evaluation: no relationships, and its aliases by what they are aliases of. */
function withoutRelationships(design: DesignFile): DesignFile {
  const aliases: [string, JsonObject][] = design.relationships
    .filter((each) => kindOf(each) === 'parent alias' && each['status'] === 'approved')
    .map((each) => {
      const [from, to] = [clausesOf(each, 'from')[0] ?? {}, clausesOf(each, 'to')[0] ?? {}];
      const paths = asObject(to['patch'])['mutatedRef'];
      const path = Array.isArray(paths) ? (paths[0] ?? null) : null;
      return [asText(from['id']), { resolved_parent_id: to['id'] ?? null, resolved_ref_field_path: path }];
    });
  const resolvedAliases = { ...Object.fromEntries(aliases), ...asObject(design.metadata['resolvedAliases']) };
  return { ...design, relationships: [], metadata: { ...design.metadata, resolvedAliases } };
}

/** A clause as its definition had it: without what a relationship fills in. */
function toDefinitionClause(clause: JsonObject, isAlias: boolean): JsonObject {
  const strip = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(strip);
    if (!isObject(value)) return isAlias && typeof value === 'string' && /^\d+$/.test(value) ? '_' : value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, member]) => name !== 'id' && member !== null)
        .map(([name, member]) => [name, strip(member)]),
    );
  };
  const { kind, model, match, patch, match_strategy_matrix: matrix } = clause;
  const name = typeof model === 'string' ? model : asText(asObject(model)['name']);
  const kept = {
    match: strip(match ?? null),
    patch: strip(patch ?? null),
    match_strategy_matrix: strip(matrix ?? null),
  };
  const filled = Object.entries(kept).filter(
    ([, value]) => value !== null && !(isObject(value) && !Object.keys(value).length),
  );
  return { kind: kind ?? '*', model: { name }, ...Object.fromEntries(filled) };
}

function clausePairs(relationship: JsonObject): { key: string; from: JsonObject; to: JsonObject }[] {
  const isAlias = kindOf(relationship).endsWith('alias');
  const triple = `${asText(relationship['kind'])} ${kindOf(relationship)}`.toLowerCase();
  const { selectors } = relationship;
  return (Array.isArray(selectors) ? selectors : []).flatMap((set) => {
    const allow = asObject(asObject(set)['allow']);
    const [froms, tos] = ['from', 'to'].map((side) =>
      (Array.isArray(allow[side]) ? allow[side].filter(isObject) : []).map((each) => toDefinitionClause(each, isAlias)),
    );
    return (froms ?? []).flatMap((from) =>
      (tos ?? []).map((to) => ({ key: canonicalKey([triple, from, to]), from, to })),
    );
  });
}

function toModelled(value: JsonObject): ModelledDefinition {
  const model = asObject(value['model']);
  const version = asText(asObject(model['model'])['version']);
  return {
    model: { name: asText(model['name']), version },
    definition: readRelationshipDefinition(
      { entity: 'relationship', older: false, value, path: '', document: 1, pointer: '' },
      [],
    ),
  };
}

interface Material {
  designs: Map<string, DesignFile>;
  definitions: JsonObject[];
}

async function readMaterial(): Promise<Material> {
  const material: Material = { designs: new Map(), definitions: [] };
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile() && /\.(?:ya?ml|json)$/.test(each.name))) {
      const path = join(entry.parentPath, entry.name);
      const bytes = await readFile(path);
      const documents = path.endsWith('.json')
        ? parseJson(bytes)
        : path.includes('design')
          ? parseDocuments({ path, bytes }).map(({ value }) => value)
          : [];
      for (const value of documents.filter(isObject)) {
        if (Array.isArray(value['components'])) {
          material.designs.set(createHash('sha256').update(bytes).digest('hex'), toCanonicalDesign(value, path));
        } else if (value['selectors'] !== undefined && asText(value['kind']) !== '') material.definitions.push(value);
      }
    }
  }
  return material;
}

function parseJson(bytes: Buffer): Json[] {
  const value = JSON.parse(bytes.toString()) as Json;
  return Array.isArray(value) ? value : [value];
}

function collectDefinitions({ designs, definitions }: Material): ModelledDefinition[] {
  const known = new Set(definitions.flatMap((each) => clausePairs(each).map(({ key }) => key)));
  const recorded: JsonObject[] = [];
  for (const { relationships } of designs.values()) {
    for (const each of relationships) {
      if (kindOf(each).startsWith('sibling') || kindOf(each).endsWith('annotation')) continue;
      for (const { key, from, to } of clausePairs(each)) {
        if (known.has(key)) continue;
        known.add(key);
        recorded.push({ ...each, selectors: [{ allow: { from: [from], to: [to] }, deny: { from: [], to: [] } }] });
      }
    }
  }
  console.log(
    `${definitions.length} definitions from files, ${recorded.length} from the clauses of recorded relationships`,
  );
  return [...definitions, ...recorded, SIBLINGS].map(toModelled);
}

function title(design: DesignFile, key: string): string {
  const names = key.split(' ').map((id) => {
    const component = design.components.find((each) => each.id === id);
    return `${component?.component.kind ?? '?'} ${component?.displayName ?? '?'}`;
  });
  return `${design.name}: ${names.join(' > ')}`;
}

const material = await readMaterial();
const definitions = collectDefinitions(material);
const scores = new Map(KINDS.map((kind) => [kind, new Score()]));
const differences: string[] = [];
const again = { added: 0, doubles: 0, changed: 0, truncated: 0, slowest: 0 };
for (const design of material.designs.values()) {
  const recorded = countPairs(design, design.relationships, 'active');
  const deleted = countPairs(design, design.relationships, 'deleted');
  const began = performance.now();
  const { design: after, trace } = evaluate(withoutRelationships(design), definitions);
  again.slowest = Math.max(again.slowest, performance.now() - began);
  again.truncated += trace.truncated ? 1 : 0;
  const ours = countPairs(design, after.relationships);
  for (const [key, { kind }] of recorded) {
    const score = scores.get(kind);
    if (score === undefined) continue;
    score.recorded += 1;
    if (ours.has(key)) score.both += 1;
    else differences.push(`missed ${kind} ${title(design, recorded.get(key)?.key ?? '')}`);
  }
  for (const [key, { kind }] of ours) {
    const score = scores.get(kind);
    if (score === undefined) continue;
    score.ours += 1;
    if (recorded.has(key)) continue;
    const [name = '', ...ends] = key.split(' ');
    const isOtherwise = KINDS.some(
      (other) => other.startsWith(`${name} `) && recorded.has(`${other} ${ends.slice(1).join(' ')}`),
    );
    if (deleted.has(key) || isOtherwise) score.otherwise += 1;
    else {
      score.contradicting += 1;
      differences.push(`not recorded ${kind} ${title(design, ours.get(key)?.key ?? '')}`);
    }
  }
  const members = (each: JsonObject): string =>
    `${kindOf(each)} ${[...new Set([...endsOf(each, 'from'), ...endsOf(each, 'to')])].sort().join(' ')}`;
  const siblings = new Set(
    design.relationships
      .filter((each) => kindOf(each).startsWith('sibling') && each['status'] !== 'deleted')
      .map(members),
  );
  const second = evaluate(design, definitions);
  again.added += second.trace.relationshipsAdded.length;
  again.doubles += second.trace.relationshipsAdded.filter((each) => siblings.has(members(each))).length;
  again.changed += evaluate(second.design, definitions).actions.length;
}
const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);
console.log(
  `${material.designs.size} designs, ${[...material.designs.values()].filter(({ relationships }) => relationships.length > 0).length} of them with relationships\n`,
);
console.log(
  table(
    ['', 'recorded', 'ours', 'both', 'deleted or otherwise', 'contradicting', 'recall', 'precision'],
    [...scores].map(([kind, { recorded, ours, both, otherwise, contradicting }]) => [
      kind,
      ...[recorded, ours, both, otherwise, contradicting].map(String),
      percent(both, recorded),
      percent(both, both + contradicting),
    ]),
  ),
);
console.log(
  `\nwith the relationships that they hold: ${again.added} added, ${again.doubles} siblings twice, ${again.changed} changes the next time; ${again.truncated} beyond a limit, the slowest took ${Math.round(again.slowest)} ms`,
);
if (isVerbose) console.log(`\n${differences.join('\n')}`);
