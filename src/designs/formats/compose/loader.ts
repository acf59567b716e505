import { posix } from 'node:path';
import type { Json, JsonObject } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { type ComposeFiles, type ReportFault } from './compose-files.js';
import { ExtendsResolver } from './extends-resolver.js';
import { type ComposeDocument } from './compose-document.js';
import { mergeResource, mergeService, withoutPaths } from './merge.js';
import { directoryOf, resolveInArchive } from './paths.js';
import { type ComposeProject, type ComposeSection, COMPOSE_SECTIONS } from './project.js';

/** The maximum length of a chain of `include`. */
const MAX_DEPTH = 50;

type Members = Map<ComposeSection, Map<string, JsonObject>>;
type LoadedProject = Pick<ComposeProject, 'name' | 'rest'> & { members: Members };

/**
 * Loads and merges the files of a Compose project, including `include` and `extends`.
 * Faults are added to those of `files`; what could be read is returned nevertheless.
 */
export async function loadProject(
  files: ComposeFiles,
  paths: readonly string[],
  variables: ReadonlyMap<string, string>,
): Promise<ComposeProject> {
  const { name, rest, members } = await new ComposeLoader(files).load(paths, files.root, variables, []);
  const section = (key: ComposeSection): Map<string, JsonObject> => members.get(key) ?? new Map<string, JsonObject>();
  return {
    name,
    rest,
    variables,
    services: section('services'),
    networks: section('networks'),
    volumes: section('volumes'),
    configs: section('configs'),
    secrets: section('secrets'),
    models: section('models'),
    fault: (pointer, detail, remedy) => files.locate(pointer, detail, remedy),
  };
}

class ComposeLoader {
  private readonly extension: ExtendsResolver;

  constructor(private readonly files: ComposeFiles) {
    this.extension = new ExtendsResolver(files);
  }

  async load(
    paths: readonly string[],
    directory: string,
    variables: ReadonlyMap<string, string>,
    chain: readonly string[],
  ): Promise<LoadedProject> {
    const empty = COMPOSE_SECTIONS.map((section) => [section, new Map<string, JsonObject>()] as const);
    const loaded: LoadedProject = { rest: {}, members: new Map(empty) };
    for (const path of paths) {
      for (const layer of await this.files.documents(path, directory, variables)) {
        for (const [index, entry] of layer.include.entries()) {
          const report: ReportFault = (detail, remedy) =>
            this.files.faults.add(layer.fault(toPointer('include', index), detail, remedy));
          const included = await this.include(entry, directoryOf(path), variables, [...chain, path], report);
          if (included) addAll(loaded.members, included.members, report);
        }
        loaded.name = layer.name ?? loaded.name;
        loaded.rest = { ...loaded.rest, ...layer.rest };
        await this.mergeDocument(layer, path, loaded.members);
      }
    }
    return loaded;
  }

  private async mergeDocument(layer: ComposeDocument, path: string, members: Members): Promise<void> {
    for (const section of COMPOSE_SECTIONS) {
      const present = members.get(section);
      for (const [name, member] of layer.sections.get(section) ?? []) {
        const over = section === 'services' ? await this.extension.resolveService({ layer, path }, name) : member;
        if (over === undefined) continue;
        const before = withoutPaths(present?.get(name) ?? {}, layer.resetPaths(section, name));
        present?.set(name, section === 'services' ? mergeService(before, over) : mergeResource(before, over));
      }
    }
  }

  private async include(
    entry: JsonObject,
    from: string,
    variables: ReadonlyMap<string, string>,
    chain: readonly string[],
    report: ReportFault,
  ): Promise<LoadedProject | undefined> {
    const paths = this.files.existing(listOf(entry.path), from, report);
    const [first] = paths;
    if (first === undefined) return undefined;
    const own = typeof entry.project_directory === 'string' ? entry.project_directory : undefined;
    const directory = own === undefined ? directoryOf(first) : resolveInArchive(from, own);
    if (chain.includes(first)) {
      report(`includes itself: ${[...chain.slice(chain.indexOf(first)), first].join(' → ')}`, 'Remove an include.');
    } else if (chain.length > MAX_DEPTH) {
      report(`includes are nested deeper than ${MAX_DEPTH}`, 'Include the file directly.');
    } else if (directory === undefined) {
      report(`the project directory ${String(own)} lies outside of the import`);
    } else {
      const environment =
        entry.env_file === undefined
          ? [posix.join(directory, '.env')]
          : this.files.existing(listOf(entry.env_file), from, report);
      const inner = new Map([...this.files.variables(environment, variables), ...variables]);
      return this.load(paths, directory, inner, chain);
    }
    return undefined;
  }
}

function addAll(members: Members, included: Members, report: ReportFault): void {
  for (const [section, resources] of included) {
    const present = members.get(section);
    for (const [name, resource] of resources) {
      const before = present?.get(name);
      if (before !== undefined && JSON.stringify(before) !== JSON.stringify(resource)) {
        report(`${section}.${name} is defined by another included file too`, 'Rename one of the two.');
      }
      present?.set(name, resource);
    }
  }
}

function listOf(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
