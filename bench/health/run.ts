import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../src/kubernetes/clusters/kubernetes-object.js';
import { assessHealth } from '../../src/kubernetes/resources/health/health.js';

/** How often health is what Argo CD's own tests say: `npm run bench:health -- <checkout of argo-cd>`. Messages are not compared. */
interface Case {
  file: string;
  object: KubernetesObject;
  expected: string | null;
}

const checkout = process.argv[2];
if (!checkout || !existsSync(checkout)) throw new Error('Name a checkout of https://github.com/argoproj/argo-cd.');
const cases = [...scriptedCases(checkout), ...builtInCases(checkout)];
const judged = cases.map((one) => ({ ...one, found: assessHealth(one.object) }));
const differing = judged.filter(({ expected, found }) => (found?.status ?? null) !== expected);
const agreeing = cases.length - differing.length;
const kinds = new Set(
  cases.map(({ object }) => `${object.apiVersion.split('/').slice(0, -1).join('/')}/${object.kind}`),
);
console.log(
  `${agreeing} of ${cases.length} cases of ${kinds.size} kinds agree (${((100 * agreeing) / cases.length).toFixed(1)} %)`,
);
for (const { file, object, expected, found } of differing)
  console.log(
    `  ${relative(checkout, file)}: ${object.kind} is ${expected ?? 'without health'} there, ${found ? `${found.status} (${found.message ?? 'no message'})` : 'without health'} here`,
  );
const silent = judged.filter(({ found }) => found && found.status !== 'Healthy' && !found.message);
console.log(`${silent.length} of them are not healthy here without a message`);
for (const { file } of silent) console.log(`  ${relative(checkout, file)}`);

/** The tests of the scripts for custom kinds. */
function scriptedCases(root: string): Case[] {
  const folder = join(root, 'resource_customizations');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('/health_test.yaml'))
    .sort()
    .map((path) => join(folder, path))
    .flatMap((path) => {
      const { tests } = readDocuments(path)[0] as {
        tests: { healthStatus?: { status?: string }; inputPath?: string; inputpath?: string }[];
      };
      return tests.map(({ healthStatus, inputPath, inputpath }): Case => {
        const file = join(dirname(path), inputPath ?? inputpath ?? '');
        return { file, object: readObject(file), expected: healthStatus?.status ?? null };
      });
    });
}

/** The tests of the kinds that Argo CD judges by its program. */
function builtInCases(root: string): Case[] {
  const folder = join(root, 'gitops-engine/pkg/health');
  const tests = readFileSync(join(folder, 'health_test.go'), 'utf8');
  return [...tests.matchAll(/assertAppHealth\(t, "([^"]+)", HealthStatus(\w+)\)/g)].map(
    ([, path = '', expected = '']) => {
      const file = join(folder, path);
      return { file, object: readObject(file), expected };
    },
  );
}

function readObject(file: string): KubernetesObject {
  const [object] = readDocuments(file);
  return { metadata: { name: 'x' }, ...(object as object) } as KubernetesObject;
}

function readDocuments(file: string): unknown[] {
  return parseAllDocuments(readFileSync(file, 'utf8'), { uniqueKeys: false }).map(
    (document) => document.toJS() as unknown,
  );
}
