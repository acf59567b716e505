import { posix } from 'node:path';
import { type Fault, InvalidRequest } from '../../../core/errors/app-error.js';
import { newDesign } from '../../../formats/design-canonical.js';
import { componentsOf } from '../../../formats/design-component.js';
import { FaultList } from '../../../formats/fault-list.js';
import { defaultLimits } from '../../../formats/limits.js';
import { type Json, isObject, type JsonObject, pointerTo } from '../../../formats/located.js';
import { nameOfFile } from '../design-input.js';
import { type Format, type FormatInput, type ImportedDesign, type ReadOptions } from '../format.js';
import { ComposeFiles } from './compose-files.js';
import { convertProject } from './kubernetes/convert.js';
import { present } from './kubernetes/conversion.js';
import { withLabelFiles } from './label-files.js';
import { isOldLayout } from './layer.js';
import { loadProject } from './loader.js';
import { mainFile, overrideOf } from './main-files.js';
import { directoryOf, pathInArchive } from './paths.js';
import { type ComposeProject, sections, serviceOf } from './project.js';
import { checkReferences } from './references.js';
import { serviceKeys } from './specification.js';

/** Docker Compose: file versions 2 and 3, the current specification, and the layout of version 1. */
export const composeFormat: Format = {
  sourceType: 'docker-compose',
  extensions: ['.yml', '.yaml', '.json', '.tar', '.tar.gz', '.tgz', '.zip'],
  description: 'Docker Compose file, or an archive of files with .env, include and extends',
  available: () => true,
  detect,
  read,
};

async function detect(input: FormatInput): Promise<boolean> {
  const main = mainFile(input);
  if (main === undefined) return false;
  const [document] = await input.documents(main, 'core');
  const content = document?.object;
  return content !== undefined && looksLikeCompose(content, posix.basename(main));
}

function looksLikeCompose(content: JsonObject, name: string): boolean {
  if (['apiVersion', 'kind', 'components', 'schemaVersion'].some((key) => Object.hasOwn(content, key))) return false;
  const { services, version } = content;
  if (services === undefined || services === null) {
    const parts = ['volumes', 'networks', 'configs', 'secrets'].some((key) => isObject(content[key]));
    return Array.isArray(content.include) || (version !== undefined && parts) || isOldLayout(content);
  }
  if (!isObject(services)) return false;
  const entries = Object.values(services).filter(isObject);
  if (entries.some((entry) => typeof entry.type === 'string' && entry.image === undefined)) return false;
  return /compose/i.test(name) || entries.some((entry) => Object.keys(entry).some((key) => serviceKeys.has(key)));
}

async function read(input: FormatInput, options: ReadOptions): Promise<ImportedDesign> {
  const main = mainFile(input);
  if (main === undefined) throw new InvalidRequest(`${input.name} holds no Compose file`);
  const limit = options.limits?.faults ?? defaultLimits.faults;
  const faults = new FaultList(limit);
  const warnings = new FaultList(limit);
  const given = new Map(Object.entries(options.env ?? {}));
  const files = new ComposeFiles(input, directoryOf(main), faults, warnings);
  const variables = new Map([...files.variables([posix.join(files.root, '.env')], given), ...given]);
  const project = await loadProject(files, pathsOf(input, main, variables, files), variables);
  faults.raise(main);

  const inactive = takeInactive(project, options.profiles ?? []);
  withLabelFiles(project, files);
  faults.add(...checkReferences(project, inactive));
  if (project.services.size === 0) faults.add(project.fault('/services', 'there are no services', 'Add a service.'));
  if (inactive.size > 0) warnings.add(profileWarning(project, inactive));
  faults.raise(main);

  const { converted, ...said } = convertProject(project, files);
  faults.add(...said.faults);
  faults.raise(main);
  warnings.add(...said.warnings);
  const name = options.name ?? nameOf(input, main, project);
  const components = componentsOf(converted.map(({ resource }) => resource)).map((component, index) => ({
    ...component,
    metadata: { ...component.metadata, compose: converted[index]?.compose ?? {} },
  }));
  const design = newDesign({ name, components, metadata: { compose: partsWithoutComponent(project, inactive) } });
  return { name, design, sourceType: 'docker-compose', warnings: warnings.faults };
}

/** The files that COMPOSE_FILE names, or the main file and its override. */
function pathsOf(
  input: FormatInput,
  main: string,
  variables: ReadonlyMap<string, string>,
  files: ComposeFiles,
): string[] {
  const named = variables.get('COMPOSE_FILE');
  if (named === undefined || named === '' || !input.archive) return [main, ...overrideOf(input, main)];
  const separator = variables.get('COMPOSE_PATH_SEPARATOR') || (named.includes(';') ? ';' : ':');
  return named.split(separator).flatMap((path) => {
    const found = pathInArchive(files.root, path.trim());
    if (found !== undefined && input.files.has(found)) return [found];
    files.faults.add({
      file: main,
      detail: `COMPOSE_FILE names ${path.slice(0, 200)}, which is not part of the import`,
    });
    return [];
  });
}

/** Takes the services out whose profiles are all off; when none is on and nothing would be left, all stay. */
function takeInactive(project: ComposeProject, profiles: readonly string[]): Map<string, JsonObject> {
  const named = (project.variables.get('COMPOSE_PROFILES') ?? '').split(',').map((profile) => profile.trim());
  const on = new Set([...profiles, ...named].filter((profile) => profile !== ''));
  const inactive = new Map(
    [...project.services].filter(([, definition]) => {
      const { profiles: wanted = [] } = serviceOf(definition);
      return wanted.length > 0 && !on.has('*') && !wanted.some((profile) => on.has(profile));
    }),
  );
  if (on.size > 0 || inactive.size < project.services.size)
    for (const name of inactive.keys()) project.services.delete(name);
  return inactive;
}

function profileWarning(project: ComposeProject, inactive: ReadonlyMap<string, JsonObject>): Fault {
  const profiles = new Set([...inactive.values()].flatMap((definition) => serviceOf(definition).profiles ?? []));
  const [first = ''] = inactive.keys();
  const detail = project.services.has(first)
    ? 'every service has a profile and none is on; all are taken'
    : `services whose profiles are off are kept beside the components: ${[...inactive.keys()].join(', ').slice(0, 200)}`;
  const remedy = `Send the profiles that are on as COMPOSE_PROFILES in env: ${[...profiles].join(', ').slice(0, 200)}.`;
  return project.fault(pointerTo('services', first, 'profiles'), detail, remedy);
}

/** What the design keeps beside its components, so that the project can be written down again. */
function partsWithoutComponent(project: ComposeProject, inactive: ReadonlyMap<string, JsonObject>): JsonObject {
  const off = [...inactive].filter(([name]) => !project.services.has(name));
  const provided = [...project.services].filter(([, definition]) => definition.provider !== undefined);
  const parts = sections.map((section): [string, Json] => [
    section,
    Object.fromEntries(section === 'services' ? [...provided, ...off] : project[section]),
  ]);
  return present({ name: project.name, ...Object.fromEntries(parts), rest: project.rest });
}

function nameOf(input: FormatInput, main: string, project: ComposeProject): string {
  const own = project.name || project.variables.get('COMPOSE_PROJECT_NAME');
  const folder = posix.basename(directoryOf(main));
  return own || folder || nameOfFile(input.name);
}
