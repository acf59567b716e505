import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requires } from '../../../../test/support/requirements.js';
import { toCanonicalDesign } from '../../../formats/design-file/canonical-design.js';
import { type DesignFile } from '../../../formats/design-file/design-file.js';
import { parseDocuments } from '../../../formats/documents/parse-documents.js';
import { isObject, type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { loadKubernetesRelationships } from '../../seed/kubernetes-relationships.js';
import { evaluate } from './evaluate.js';
import { type ModelledDefinition } from './evaluation.js';
import { isActive, partitionRelationships } from './reconciliation.js';
import { relationshipKeyOf } from './relationship.js';

async function filesBelow(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => pattern.test(path))
    .sort();
}

/** A definition of any version, read as the registry reads it. */
function definitionOf(data: JsonObject): ModelledDefinition {
  const model = asObject(data['model']);
  const { selectors } = data;
  const listed = Array.isArray(selectors) ? selectors.filter(isObject) : isObject(selectors) ? [selectors] : [];
  return {
    model: {
      name: asText(model['name']),
      version: asText(asObject(model['model'])['version']) || asText(model['version']),
    },
    definition: {
      kind: asText(data['kind']).toLowerCase(),
      type: asText(data['type']).toLowerCase(),
      subType: asText(data['subType']).toLowerCase(),
      version: asText(data['version']),
      selectors: listed,
      metadata: asObject(data['metadata']),
      rest: {},
    },
  };
}

const shipped = loadKubernetesRelationships().map((definition) => ({
  model: { name: 'kubernetes', version: 'v1.35.0' },
  definition,
}));

requires('CORPUS_DIR', 'the relationships of the corpus', (corpus) => {
  const root = join(corpus, 'meshery');

  async function definitions(): Promise<ModelledDefinition[]> {
    const paths = await filesBelow(root, /\/relationships\/.*\.json$/);
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    return texts.map((text) => definitionOf(JSON.parse(text) as JsonObject));
  }

  async function designs(): Promise<DesignFile[]> {
    const paths = await filesBelow(join(root, 'designs'), /\/design\.yml$/);
    return Promise.all(
      paths.map(async (path) => {
        const [document] = parseDocuments({ path, bytes: await readFile(path) });
        return toCanonicalDesign(document?.object ?? {}, path);
      }),
    );
  }

  it('has no definition that is not understood, and each that finds nothing says why', async () => {
    const all = await definitions();
    expect(all).toHaveLength(9);
    const everything = (await designs()).flatMap(({ components }) => components);
    const { trace } = evaluate({ ...(await designs())[0]!, components: everything, relationships: [] }, all);
    const lines = trace.definitions.map(({ kind, subType, found, notes }) => `${kind} ${subType} ${found > 0 ? 'finds' : notes.join(' ')}`); // prettier-ignore
    expect(lines).toEqual([
      'edge firewall Pod → Pod: It says that these may be related, and gives nothing to find them by.',
      'edge mount Pod → PersistentVolume: It says that these may be related, and gives nothing to find them by.',
      'edge permission ClusterRole, Role → anything: It says that these may be related, and gives nothing to find them by.',
      'edge permission No RoleBinding has a value at configuration.spec.roleRef.kind.',
      'edge reference Deployment → Pod: It says that these may be related, and gives nothing to find them by.',
      'hierarchical parent Namespace, Node → anything: It says that these may be related, and gives nothing to find them by.',
      'hierarchical alias No Container has a value at configuration.spec.template.spec.containers.*.',
      'hierarchical inventory No Pod has a value at configuration.spec.nodeName.',
      'hierarchical wallet The design has no EndpointSlice.',
    ]);
  });

  it('has designs whose drawn relationships are all kept', async () => {
    const all = [...shipped, ...(await definitions())];
    const counts = { designs: 0, components: 0, drawn: 0, lost: 0, found: 0, slowest: 0 };
    for (const design of await designs()) {
      const began = performance.now();
      const { design: after, trace } = evaluate(design, all);
      counts.slowest = Math.max(counts.slowest, Math.round(performance.now() - began));
      const { drawn } = partitionRelationships(design.relationships);
      expect(drawn).toHaveLength(design.relationships.length);
      const ids = new Set(design.components.map(({ id }) => id));
      const kept = drawn.map((relationship) => {
        const { from, to } = relationshipKeyOf(relationship);
        const isLost = [...from, ...to].some((id) => id !== '' && !ids.has(id));
        return isLost && isActive(relationship) ? { ...relationship, status: 'deleted' } : relationship;
      });
      expect(after.relationships.slice(0, drawn.length)).toEqual(kept);
      expect(trace).toMatchObject({ relationshipsRemoved: [], truncated: false });
      counts.lost += trace.relationshipsUpdated.length;
      expect(JSON.stringify(evaluate(after, all).design)).toBe(JSON.stringify(after));
      expect(evaluate(design, all, { applyPatches: true }).design.components).toHaveLength(design.components.length);
      counts.designs += 1;
      counts.components += design.components.length;
      counts.drawn += drawn.length;
      counts.found += trace.relationshipsAdded.length;
    }
    expect(counts).toMatchObject({ designs: 104, drawn: 698 });
    process.stdout.write(`${JSON.stringify(counts)}\n`);
  }, 60_000);
});
