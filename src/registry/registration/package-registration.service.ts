import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import type { FormFile } from '../../core/rest/form-uploads.service.js';
import { UploadedFiles, type UploadInput } from '../../formats/sources/uploaded-files.service.js';
import type { SourceFile } from '../../formats/sources/source-file.js';
import type { DefinitionFault, ModelContent } from '../../formats/definitions/definitions.js';
import type { PackageContent } from '../packages/package-content.js';
import { PackageLoader } from '../packages/package-loader.js';
import { assertRegistryWriter, registryPolicy } from '../entities/registry.policy.js';
import { ConnectionDefinitionsService } from './connection-definitions.service.js';
import { type RegistrationResult, toDryRunResult } from './registration-result.js';
import { RegisteredPackagesStore } from './registered-packages.store.js';
import { countOutcomes, DefinitionRegistrar } from './definition-registrar.service.js';

export interface RegistrationOptions {
  /** False for a dry run. */
  register?: boolean;
  /** When anything is invalid, nothing is registered. */
  atomic?: boolean;
}

/** The definitions read from a source, ready for registration. */
export interface DefinitionsToRegister {
  contents: ModelContent[];
  connections?: PackageContent['connections'];
  faults: DefinitionFault[];
  /** The number of definitions that could not be read; one may have several faults. */
  failed: number;
  warnings?: Fault[];
  /** Hash of the bytes that contained exactly this. */
  source?: string;
}

/** Registers packages and definitions from requests, and generated models. */
@Injectable()
export class PackageRegistrationService {
  constructor(
    private readonly sent: UploadedFiles,
    private readonly packages: PackageLoader,
    private readonly known: RegisteredPackagesStore,
    private readonly registration: DefinitionRegistrar,
    private readonly connections: ConnectionDefinitionsService,
  ) {}

  /** @throws InvalidRequest when the file is not a package, or contains nothing valid */
  async registerPackage(
    actor: Actor,
    input: UploadInput & RegistrationOptions,
    uploads: FormFile[],
  ): Promise<RegistrationResult> {
    assertRegistryWriter(actor, registryPolicy.register);
    return this.registerFile(actor, await this.sent.resolve(input, uploads), input);
  }

  async registerFile(actor: Actor, file: SourceFile, options: RegistrationOptions): Promise<RegistrationResult> {
    const source = createHash('sha256').update(file.bytes).digest('hex');
    const known = await this.known.find(source);
    if (known)
      return toAnswer({ ...known, connections: [], counts: countOutcomes(known), errors: [], warnings: [] }, options);
    const { models, connections, faults, failed } = await this.packages.load(file);
    if (isDamagedPackage(models, faults)) throw registrationRefused(faults);
    const isWhole = faults.length === 0 && connections.length === 0;
    return this.registerDefinitions(
      actor,
      { contents: models, connections, faults, failed, ...(isWhole ? { source } : {}) },
      options,
    );
  }

  /** @throws InvalidRequest with every fault when nothing is valid, or not everything and that was required */
  async registerDefinitions(
    actor: Actor,
    readings: DefinitionsToRegister,
    { register = true, atomic = false }: RegistrationOptions,
  ): Promise<RegistrationResult> {
    const { contents, connections = [], faults, failed, warnings = [], source } = readings;
    if (faults.length > 0 && (atomic || (contents.length === 0 && connections.length === 0)))
      throw registrationRefused(faults);
    const taken = register
      ? await this.registration.register(actor, contents, source)
      : await this.registration.compare(contents);
    const kinds = register ? await this.connections.register(connections) : await this.connections.compare(connections);
    const counts = countOutcomes(taken, failed);
    return toAnswer({ ...taken, connections: kinds, counts, errors: faults, warnings }, { register });
  }
}

const toAnswer = (result: RegistrationResult, { register = true }: RegistrationOptions): RegistrationResult =>
  register ? result : toDryRunResult(result);

/** A file that cannot be read at all, or a package whose only model is invalid, is damaged rather than faulty. */
const isDamagedPackage = (models: ModelContent[], faults: DefinitionFault[]): boolean =>
  faults.some(({ entity }) => entity === 'file') ||
  (faults.some(({ entity }) => entity === 'model') && models.every(({ embedded }) => embedded));

function registrationRefused(faults: DefinitionFault[]): InvalidRequest {
  const [first] = faults;
  const others = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
  return new InvalidRequest(`nothing was registered: ${first?.path ?? ''} ${first?.detail ?? ''}${others}`, {
    code: 'INVALID_DEFINITION',
    errors: faults,
    remedy: 'Correct what is listed under errors and send it again.',
  });
}
