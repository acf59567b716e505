import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import type { UploadedFile } from '../../core/rest/upload.js';
import { SentFiles, type SentInput } from '../../formats/sent-file.js';
import type { SourceFile } from '../../formats/source-file.js';
import type { DefinitionFault, ModelContent } from '../definition.js';
import type { PackageContent } from '../packages/package-content.js';
import { PackageLoader } from '../packages/package-loader.js';
import { registryPolicy } from '../registry.policy.js';
import { requireRegistryWriter } from '../registry-writers.js';
import { ConnectionDefinitions } from './connection-definitions.js';
import type { RegistrationResult } from './outcome.js';
import { RegisteredPackages } from './registered-packages.js';
import { countsOf, Registration } from './registration.service.js';

export interface RegistrationWish {
  /** False only says what would be registered. */
  register?: boolean;
  /** When anything cannot be taken, nothing is. */
  atomic?: boolean;
}

/** What was read of a source, ready to be registered. */
export interface Readings {
  contents: ModelContent[];
  connections?: PackageContent['connections'];
  faults: DefinitionFault[];
  /** Definitions that could not be taken; one may have several faults. */
  failed: number;
  warnings?: Fault[];
  /** Digest of the bytes that held this and nothing else. */
  source?: string;
}

/** Registers what callers send: packages, definitions, and what generators made of a source. */
@Injectable()
export class RegistrationsService {
  constructor(
    private readonly sent: SentFiles,
    private readonly packages: PackageLoader,
    private readonly known: RegisteredPackages,
    private readonly registration: Registration,
    private readonly connections: ConnectionDefinitions,
  ) {}

  /** @throws InvalidRequest when the file is no package, or nothing of it can be taken */
  async registerPackage(
    actor: Actor,
    input: SentInput & RegistrationWish,
    uploads: UploadedFile[],
  ): Promise<RegistrationResult> {
    requireRegistryWriter(actor, registryPolicy.register);
    return this.registerFile(actor, await this.sent.find(input, uploads), input);
  }

  async registerFile(actor: Actor, file: SourceFile, wish: RegistrationWish): Promise<RegistrationResult> {
    const source = createHash('sha256').update(file.bytes).digest('hex');
    const known = await this.known.find(source);
    if (known) return { ...known, connections: [], counts: countsOf(known), errors: [], warnings: [] };
    const { models, connections, faults, failed } = await this.packages.load(file);
    if (isDamaged(models, faults)) throw refusal(faults);
    const isWhole = faults.length === 0 && connections.length === 0;
    return this.take(actor, { contents: models, connections, faults, failed, ...(isWhole ? { source } : {}) }, wish);
  }

  /** @throws InvalidRequest with every fault when nothing can be taken, or not all of it and that was asked for */
  async take(
    actor: Actor,
    readings: Readings,
    { register = true, atomic = false }: RegistrationWish,
  ): Promise<RegistrationResult> {
    const { contents, connections = [], faults, failed, warnings = [], source } = readings;
    if (faults.length > 0 && (atomic || (contents.length === 0 && connections.length === 0))) throw refusal(faults);
    const taken = register
      ? await this.registration.register(actor, contents, source)
      : await this.registration.compare(contents);
    const kinds = register ? await this.connections.take(connections) : await this.connections.compare(connections);
    return { ...taken, connections: kinds, counts: countsOf(taken, failed), errors: faults, warnings };
  }
}

/** A file that cannot be read at all, or a package whose only model is none, is not a package with a fault but a damaged one. */
const isDamaged = (models: ModelContent[], faults: DefinitionFault[]): boolean =>
  faults.some(({ entity }) => entity === 'file') ||
  (faults.some(({ entity }) => entity === 'model') && models.every(({ embedded }) => embedded));

function refusal(faults: DefinitionFault[]): InvalidRequest {
  const [first] = faults;
  const others = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
  return new InvalidRequest(`nothing was registered: ${first?.path ?? ''} ${first?.detail ?? ''}${others}`, {
    code: 'INVALID_DEFINITION',
    errors: faults,
    remedy: 'Correct what is listed under errors and send it again.',
  });
}
