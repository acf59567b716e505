import { type Fault } from '../../../../core/errors/app-error.js';
import type { Json, JsonObject } from '../../../../core/json/json.js';
import { toPointer } from '../../../../core/json/json-pointer.js';
import { type SourceFile } from '../../../../formats/sources/source-file.js';
import { type ComposeProject, type ComposeService, toService } from '../project.js';
import { toDnsLabel } from './names.js';

/** A Kubernetes resource, and the part of the Compose file it represents. */
export interface ConvertedResource {
  resource: JsonObject;
  /** Stored in the component as `metadata.compose`. */
  compose: JsonObject;
}

/** The inputs of a conversion besides the project. Paths start at the project directory. */
export interface ProjectFiles {
  file(path: string): SourceFile | undefined;
  /** The files below a directory, by their path from there. */
  directory(path: string): Map<string, SourceFile>;
}

/** The state of one conversion: created resources, used names, and messages. */
export class ProjectConversion {
  readonly converted: ConvertedResource[] = [];
  readonly warnings: Fault[] = [];
  readonly faults: Fault[] = [];
  private readonly owners = new Map<string, string>();
  private readonly warned = new Set<string>();

  constructor(
    readonly project: ComposeProject,
    readonly files: ProjectFiles,
  ) {}

  /** Adds a warning, once for equal pointers and details. */
  warn(pointer: string, detail: string, remedy?: string): void {
    const key = `${pointer} ${detail}`;
    if (!this.warned.has(key)) this.warnings.push(this.project.fault(pointer, detail, remedy));
    this.warned.add(key);
  }

  /** Adds a resource. If one of its kind and name exists for the same owner, nothing is added; for another owner it is a fault. */
  add(resource: JsonObject, compose: JsonObject, owner: string): void {
    const { kind, metadata } = resource as { kind: string; metadata: { name: string } };
    const key = `${kind}/${metadata.name}`;
    const before = this.owners.get(key);
    if (before === undefined) {
      this.owners.set(key, owner);
      this.converted.push({ resource, compose });
    } else if (before !== owner) {
      this.faults.push(
        this.project.fault(
          owner,
          `becomes ${key} in Kubernetes, like ${before.slice(1).replaceAll('/', '.')}`,
          'Rename one of the two.',
        ),
      );
    }
  }
}

/** The conversion of one service. */
export class ServiceConversion {
  readonly service: ComposeService;
  /** The name of its resources. */
  readonly name: string;
  /** Keys whose value has no counterpart in Kubernetes. */
  readonly unmapped = new Set<string>();

  constructor(
    readonly conversion: ProjectConversion,
    readonly composeName: string,
    readonly definition: JsonObject,
  ) {
    this.service = toService(definition);
    this.name = toDnsLabel(composeName);
  }

  get labels(): Record<string, string> {
    return { 'app.kubernetes.io/name': this.name };
  }

  /** A name for something that belongs to this service: `web-claim0`. */
  resourceName(suffix: string): string {
    return toDnsLabel(`${this.name}-${suffix}`);
  }

  /** The value of a `kompose.*` label of the service. */
  label(name: string): string | undefined {
    const { labels = {}, deploy } = this.service;
    for (const source of [labels, deploy?.labels ?? {}]) {
      if (Object.hasOwn(source, name)) return source[name]?.trim();
    }
    return undefined;
  }

  pointer(...segments: (string | number)[]): string {
    return toPointer('services', this.composeName, ...segments);
  }

  fault(segments: (string | number)[], detail: string, remedy?: string): void {
    this.conversion.faults.push(this.conversion.project.fault(this.pointer(...segments), detail, remedy));
  }

  labelFault(label: string, wanted: string): void {
    const value = this.label(label) ?? '';
    const section = Object.hasOwn(this.service.labels ?? {}, label) ? ['labels', label] : ['deploy', 'labels', label];
    this.fault(section, `${label} is "${value.slice(0, 80)}"`, `Write ${wanted}.`);
  }

  warn(segments: (string | number)[], detail: string, remedy?: string): void {
    this.conversion.warn(this.pointer(...segments), detail, remedy);
  }

  /** Records that a key is kept in the component only. */
  keepInComponent(key: string, detail?: string, remedy?: string): undefined {
    this.unmapped.add(key);
    if (detail !== undefined) this.warn([key], detail, remedy);
    return undefined;
  }

  add(resource: JsonObject, compose: JsonObject = {}): void {
    this.conversion.add(resource, { service: this.composeName, ...compose }, this.pointer());
  }
}

/** The members with a value, without empty lists and objects. */
export function definedMembers(members: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, Json] => {
      const value = entry[1];
      return value !== undefined && value !== null && (typeof value !== 'object' || Object.keys(value).length > 0);
    }),
  );
}

/** A number of a Compose file that may be written as text, when it is a whole number of at least `least`. */
export function parseWholeNumber(value: string | number | undefined, least = 0): number | undefined {
  if (value === undefined || value === '') return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}
