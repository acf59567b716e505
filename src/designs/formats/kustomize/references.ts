import { isObject, type Json, type JsonObject, pointerTo } from '../../../formats/located.js';

/** Something that a Kustomization names beside itself. */
export interface Reference {
  pointer: string;
  path: string;
  /** `base`: a file or a folder with a Kustomization; `plugin`: a file of instructions that name files in turn. */
  kind: 'base' | 'file' | 'plugin';
}

/** The members of a Kustomization. The program takes them in any case of letters; here a name that is not exactly one of them is a fault. */
const MEMBERS = new Set([
  'apiVersion', 'kind', 'metadata', 'namePrefix', 'nameSuffix', 'namespace', 'commonLabels', 'labels', 'commonAnnotations',
  'patchesStrategicMerge', 'patchesJson6902', 'patches', 'images', 'imageTags', 'replacements', 'replicas', 'vars', 'sortOptions',
  'resources', 'components', 'crds', 'bases', 'configMapGenerator', 'secretGenerator', 'helmGlobals', 'helmCharts',
  'helmChartInflationGenerator', 'generatorOptions', 'configurations', 'generators', 'transformers', 'validators', 'inventory',
  'openapi', 'buildMetadata',
]); // prettier-ignore

const BASES = ['resources', 'bases', 'components'];
export const PLUGINS = ['generators', 'transformers', 'validators'];
const FILES = ['crds', 'configurations', 'patchesStrategicMerge'];
/** Members whose items name files somewhere inside. */
const NAMING = ['patches', 'patchesJson6902', 'replacements', 'openapi', 'configMapGenerator', 'secretGenerator'];
/** Under which names they do. */
const PATHS = new Set(['path', 'files', 'envs', 'env']);
/** What the program does only with charts and plugins, which are off. */
export const INFLATORS = ['helmCharts', 'helmChartInflationGenerator', 'helmGlobals'];

/** Addresses in all forms that kustomize fetches: URLs, the short forms of git, and queries that choose a revision. */
const REMOTE = /:\/\/|^(?:https?|ssh|git|file)::?|^git@|^[\w.-]+@[\w.-]+:|^(?:www\.)?(?:github|gitlab|bitbucket)\.\w+[/:]|\.git(?:\/|\?|$)|_git\/|\?(?:ref|version|timeout|submodules)=/i; // prettier-ignore

export function isRemote(path: string): boolean {
  return REMOTE.test(path.trim());
}

/** Everything that a Kustomization reads, with where it says so. */
export function referencesOf(kustomization: JsonObject): Reference[] {
  const listed = (keys: readonly string[], kind: Reference['kind']): Reference[] =>
    keys.flatMap((key) =>
      listOf(kustomization[key]).flatMap((path, index) =>
        typeof path === 'string' && !isInline(path) ? [{ pointer: pointerTo(key, index), path, kind }] : [],
      ),
    );
  return [
    ...listed(BASES, 'base'),
    ...listed(PLUGINS, 'plugin'),
    ...listed(FILES, 'file'),
    ...NAMING.flatMap((key) => pathsIn(kustomization[key] ?? null, pointerTo(key))),
  ];
}

/** What looks like a path in instructions, such as a generator in a file of its own; in those, paths of fields are among them. */
export function pathsIn(value: Json, pointer = ''): Reference[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => pathsIn(item, pointer + pointerTo(index)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const at = pointer + pointerTo(key);
    const name = key.toUpperCase().toLowerCase();
    if (!PATHS.has(name)) return pathsIn(member, at);
    const paths = Array.isArray(member) ? member : [member];
    return paths.flatMap((path, index): Reference[] => {
      if (typeof path !== 'string' || isInline(path) || path === '') return [];
      const place = Array.isArray(member) ? at + pointerTo(index) : at;
      return [{ pointer: place, path: name === 'files' ? path.replace(/^[^=/]*=/, '') : path, kind: 'file' }];
    });
  });
}

/** What a Kustomization has that is none of its members. */
export function unknownMembers(kustomization: JsonObject): string[] {
  return Object.keys(kustomization).filter((key) => !MEMBERS.has(key));
}

/** Patches and plugins may stand in place of their path. */
export function isInline(text: string): boolean {
  return text.includes('\n') || /^\s*[{[]/.test(text);
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
