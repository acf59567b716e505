import { posix } from 'node:path';
import type { Fault } from '../../../core/errors/app-error.js';
import { createDesign } from '../../../formats/design-file/canonical-design.js';
import { toComponents } from '../../../formats/design-file/design-component.js';
import { FaultList } from '../../../formats/sources/fault-list.js';
import { DEFAULT_FORMAT_LIMITS } from '../../../formats/sources/format-limits.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { designNameOf } from '../design-input.js';
import type { Format, FormatInput, ImportedDesign, ImportOptions } from '../format.js';
import { ComposeFiles } from './compose-files.js';
import { convertProject } from './kubernetes/convert.js';
import { definedMembers } from './kubernetes/conversion.js';
import { loadProject } from './loader.js';
import { findComposeFiles, findProjectFiles } from './main-files.js';
import { directoryOf } from './paths.js';
import { type ComposeProject, COMPOSE_SECTIONS, toService } from './project.js';
import { checkReferences } from './reference-check.js';
import { parseDotenv } from './dotenv.js';

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
  return (await findComposeFiles(input)).length > 0;
}

async function read(input: FormatInput, options: ImportOptions): Promise<ImportedDesign> {
  const limit = options.limits?.faults ?? DEFAULT_FORMAT_LIMITS.faults;
  const faults = new FaultList(limit);
  const warnings = new FaultList(limit);
  const given = new Map(Object.entries(options.env ?? {}));
  const known = new Map<string, Map<string, string>>();
  const origins = new Map<string, string>();
  const variables = (directory: string): Map<string, string> => {
    const env = posix.join(directory, '.env');
    const files = new ComposeFiles(input, directory, faults, warnings, origins);
    const found = known.get(env) ?? new Map([...files.variables([env], given), ...given]);
    known.set(env, found);
    return found;
  };
  const paths = await findProjectFiles(input, variables);
  const main = paths[0] ?? input.name;
  const files = new ComposeFiles(input, directoryOf(main), faults, warnings, origins);
  const project = await loadProject(files, paths, variables(files.root));
  faults.throwIfAny(main);

  const inactive = removeInactiveServices(project, options.profiles ?? []);
  addLabelFiles(project, files);
  faults.add(...checkReferences(project, inactive));
  if (project.services.size === 0) faults.add(project.fault('/services', 'there are no services', 'Add a service.'));
  if (inactive.size > 0) warnings.add(profileWarning(project, inactive));
  faults.throwIfAny(main);

  const { converted, ...said } = convertProject(project, files);
  faults.add(...said.faults);
  faults.throwIfAny(main);
  warnings.add(...said.warnings);
  const name = options.name ?? projectNameOf(input, main, project);
  const components = toComponents(converted.map(({ resource }) => resource)).map((component, index) => ({
    ...component,
    metadata: { ...component.metadata, compose: converted[index]?.compose ?? {} },
  }));
  const design = createDesign({ name, components, metadata: { compose: partsWithoutComponent(project, inactive) } });
  return { name, design, sourceType: 'docker-compose', warnings: warnings.faults };
}

/** Removes services whose profiles are all inactive; when no profile is active and nothing would be left, all stay. */
function removeInactiveServices(project: ComposeProject, profiles: readonly string[]): Map<string, JsonObject> {
  const named = (project.variables.get('COMPOSE_PROFILES') ?? '').split(',').map((profile) => profile.trim());
  const on = new Set([...profiles, ...named].filter((profile) => profile !== ''));
  const inactive = new Map(
    [...project.services].filter(([, definition]) => {
      const { profiles: wanted = [] } = toService(definition);
      return wanted.length > 0 && !on.has('*') && !wanted.some((profile) => on.has(profile));
    }),
  );
  if (on.size > 0 || inactive.size < project.services.size)
    for (const name of inactive.keys()) project.services.delete(name);
  return inactive;
}

function profileWarning(project: ComposeProject, inactive: ReadonlyMap<string, JsonObject>): Fault {
  const profiles = new Set([...inactive.values()].flatMap((definition) => toService(definition).profiles ?? []));
  const [first = ''] = inactive.keys();
  const detail = project.services.has(first)
    ? 'every service has a profile and none is on; all are taken'
    : `services whose profiles are off are kept beside the components: ${[...inactive.keys()].join(', ').slice(0, 200)}`;
  const remedy = `Send the profiles that are on as COMPOSE_PROFILES in env: ${[...profiles].join(', ').slice(0, 200)}.`;
  return project.fault(toPointer('services', first, 'profiles'), detail, remedy);
}

/** What the design stores beside its components, so that the project can be exported again. */
function partsWithoutComponent(project: ComposeProject, inactive: ReadonlyMap<string, JsonObject>): JsonObject {
  const off = [...inactive].filter(([name]) => !project.services.has(name));
  const provided = [...project.services].filter(([, definition]) => definition.provider !== undefined);
  const parts = COMPOSE_SECTIONS.map((section): [string, Json] => [
    section,
    Object.fromEntries(section === 'services' ? [...provided, ...off] : project[section]),
  ]);
  return definedMembers({ name: project.name, ...Object.fromEntries(parts), rest: project.rest });
}

function projectNameOf(input: FormatInput, main: string, project: ComposeProject): string {
  const own = project.name || project.variables.get('COMPOSE_PROJECT_NAME');
  const folder = posix.basename(directoryOf(main));
  return own || folder || designNameOf(input.name);
}

/** Adds the labels of `label_file` to each service; its own labels take precedence. */
export function addLabelFiles(project: ComposeProject, files: ComposeFiles): void {
  for (const [name, definition] of project.services) {
    const paths = toService(definition).label_file ?? [];
    for (const [index, path] of [...paths].reverse().entries()) {
      const source = files.file(path);
      if (!source) {
        const at = toPointer('services', name, 'label_file', paths.length - 1 - index);
        const detail = `${path.slice(0, 200)} is not part of the import; its labels are missing`;
        files.warnings.add(project.fault(at, detail, 'Import an archive that holds it.'));
        continue;
      }
      const { values, faults } = parseDotenv(source, { inherited: project.variables });
      files.faults.add(...faults);
      definition.labels = { ...Object.fromEntries(values), ...toService(definition).labels };
    }
  }
}
