import { writeFileSync } from 'node:fs';
import type { JsonObject } from '../../src/core/json/json.js';
import { type CompiledSchema, compileSchema, validateBySchema } from '../../src/validation/validate-by-schema.js';
import { type Answer, ApiServer, type Kind } from './api-server.js';
import { housed, madeBases } from './bases.js';
import { Comparison } from './comparison.js';
import { objectsIn } from './corpus.js';
import { definitionsOf, install } from './definitions.js';
import { mutantsOf } from './mutations.js';
import { proveCases } from './proof.js';
import { Random } from './random.js';
import { publishedSchemas } from './schemas.js';

/** How often the validator says of broken objects what a real API server says; `-- --out FILE` writes every disagreement down. */
const GROUPS = [
  'v1',
  'apps/v1',
  'batch/v1',
  'networking.k8s.io/v1',
  'rbac.authorization.k8s.io/v1',
  'policy/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'storage.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'coordination.k8s.io/v1',
  'node.k8s.io/v1',
  'discovery.k8s.io/v1',
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
];
const PER_KIND = Number(process.env['BENCH_PER_KIND'] ?? 6);
const DEFINITIONS = Number(process.env['BENCH_DEFINITIONS'] ?? 150);
const SEED = process.env['BENCH_SEED'] ?? 'armature';

interface Subject {
  kind: Kind;
  schema: JsonObject;
  compiled: CompiledSchema;
  bases: JsonObject[];
  isBuiltIn: boolean;
}

const corpus = process.env['CORPUS_DIR'];
if (!corpus) throw new Error('CORPUS_DIR is not set: it names the folder of kubernetes/ and crds/.');
const server = await ApiServer.start();
try {
  const { count, others } = await proveCases(server);
  console.log(`cases of the unit tests: ${count - others.length} of ${count} are judged as they are written down`);
  for (const line of others) console.log(`  not so: ${line}`);
  const samples = objectsIn(`${corpus}/kubernetes`);
  const subjects = [...(await builtIns(samples)), ...(await customs(samples))];
  const comparison = new Comparison();
  for (const subject of subjects) await compare(subject, comparison);
  console.log(comparison.report());
  const out = process.argv.indexOf('--out');
  if (out > 0)
    writeFileSync(process.argv[out + 1] ?? 'disagreements.json', JSON.stringify(comparison.disagreements, null, 1));
} finally {
  await server.stop();
}

async function builtIns(samples: JsonObject[]): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const apiVersion of GROUPS) {
    const schemas = await publishedSchemas(server, apiVersion);
    for (const kind of await server.kinds(apiVersion)) {
      const schema = schemas.get(kind.kind);
      if (!schema || /Review$|^Binding$|^Eviction$/.test(kind.kind)) continue;
      const bases = await found(kind, samples, PER_KIND);
      if (bases.length > 0) subjects.push({ kind, schema, compiled: compileSchema(schema), bases, isBuiltIn: true });
    }
  }
  return subjects;
}

async function customs(samples: JsonObject[]): Promise<Subject[]> {
  const subjects: Subject[] = [];
  const definitions = definitionsOf(objectsIn(`${corpus}/crds`), DEFINITIONS, new Random(SEED));
  for (const { kind, schema } of await install(server, definitions)) {
    const bases = [
      ...(await madeBases(server, kind, schema, new Random(SEED + kind.kind))),
      ...(await found(kind, samples, 2)),
    ];
    if (bases.length > 0) subjects.push({ kind, schema, compiled: compileSchema(schema), bases, isBuiltIn: false });
  }
  return subjects;
}

/** Objects of the corpus that the server takes, the largest first, for they have most places. */
async function found(kind: Kind, samples: JsonObject[], most: number): Promise<JsonObject[]> {
  const own = samples.filter((object) => object['apiVersion'] === kind.apiVersion && object['kind'] === kind.kind);
  const sized = own
    .map((object) => ({ object, size: JSON.stringify(object).length }))
    .filter(({ size }) => size < 50_000);
  const bases: JsonObject[] = [];
  for (const { object } of sized.sort((a, b) => b.size - a.size)) {
    if (bases.length >= most) break;
    const base = housed(object, kind);
    const { isValid, unknown } = await server.judge(kind, base);
    if (isValid && unknown.length === 0) bases.push(base);
  }
  return bases;
}

async function compare({ kind, schema, compiled, bases, isBuiltIn }: Subject, comparison: Comparison): Promise<void> {
  const random = new Random(`${SEED} ${kind.apiVersion} ${kind.kind}`);
  const type = { apiVersion: kind.apiVersion, kind: kind.kind };
  for (const base of bases) {
    const mutants = [{ way: 'as it is', object: base }, ...mutantsOf(base, schema, random, isBuiltIn ? 4 : 2)];
    for (const { way, object } of mutants) {
      const answer: Answer = await server.judge(kind, object);
      if (answer.isValid === undefined) {
        comparison.leave(answer);
        continue;
      }
      comparison.add({ kind, way, isBuiltIn, object, answer, verdict: validateBySchema(object, compiled, { type }) });
    }
  }
}
