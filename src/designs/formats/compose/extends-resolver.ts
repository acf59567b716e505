import type { JsonObject } from '../../../core/json/json.js';
import { toPointer } from '../../../core/json/json-pointer.js';
import { findClosestName } from '../../../core/closest-name.js';
import { type ComposeFiles } from './compose-files.js';
import { type ComposeDocument } from './compose-document.js';
import { mergeService, withoutPaths } from './merge.js';
import { directoryOf } from './paths.js';

/** The maximum length of a chain of `extends`. */
const MAX_DEPTH = 50;

interface ServiceLocation {
  layer: ComposeDocument;
  /** In the archive. */
  path: string;
}

/** Resolves `extends`: a service of the same file, or of another one in the archive. */
export class ExtendsResolver {
  private readonly resolved = new Map<string, Promise<JsonObject | undefined>>();

  constructor(private readonly files: ComposeFiles) {}

  /** The service merged over the one it extends; undefined after a fault that names the reason. */
  async resolveService(
    found: ServiceLocation,
    name: string,
    chain: readonly string[] = [],
  ): Promise<JsonObject | undefined> {
    const service = found.layer.member('services', name);
    if (service?.extends === undefined) return service;
    const step = `${found.layer.options.directory}#${found.path}#${name}`;
    if (chain.includes(step)) {
      const circle = [...chain.slice(chain.indexOf(step)), step].map((link) => link.slice(link.lastIndexOf('#') + 1));
      this.report(found, name)(`services.${name} extends itself: ${circle.join(' → ')}`, 'Remove one of the extends.');
      return undefined;
    }
    const known = this.resolved.get(step);
    if (known) return known;
    const resolving = this.resolveBase(found, name, service, [...chain, step]);
    this.resolved.set(step, resolving);
    return resolving;
  }

  private async resolveBase(
    found: ServiceLocation,
    name: string,
    { extends: target, ...own }: JsonObject,
    chain: readonly string[],
  ): Promise<JsonObject | undefined> {
    const report = this.report(found, name);
    if (chain.length > MAX_DEPTH) {
      report(`extends is nested deeper than ${MAX_DEPTH}`, 'Extend the service directly.');
      return undefined;
    }
    const { service: base, file } = target as { service: string; file?: string };
    const other = file === undefined ? found : await this.resolveFromFile(found, file, report);
    if (other === undefined) return undefined;
    if (other.layer.member('services', base) === undefined) {
      const close = findClosestName(base, other.layer.sections.get('services')?.keys() ?? []);
      report(
        `there is no service "${base}"${file === undefined ? '' : ` in ${file}`} to extend`,
        close === undefined ? 'Define the service, or remove extends.' : `Did you mean "${close}"?`,
      );
      return undefined;
    }
    const extended = await this.resolveService(other, base, chain);
    return extended && mergeService(withoutPaths(extended, found.layer.resetPaths('services', name)), own);
  }

  private async resolveFromFile(
    found: ServiceLocation,
    file: string,
    report: (detail: string, remedy?: string) => void,
  ): Promise<ServiceLocation | undefined> {
    const [path] = this.files.existing([file], directoryOf(found.path), report);
    if (path === undefined) return undefined;
    const [layer] = await this.files.documents(path, directoryOf(path), found.layer.options.variables);
    if (layer === undefined) report(`${file} holds no service`);
    return layer && { layer, path };
  }

  private report({ layer }: ServiceLocation, name: string): (detail: string, remedy?: string) => void {
    return (detail, remedy) =>
      this.files.faults.add(layer.fault(toPointer('services', name, 'extends'), detail, remedy));
  }
}
