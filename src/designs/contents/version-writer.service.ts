import { Injectable } from '@nestjs/common';
import { Conflict } from '../../core/errors/app-error.js';
import type { PackedDesign } from '../../formats/design-file/packed-design.js';
import { DesignCheckRegistry } from './design-checks.registry.js';
import {
  DesignContentsStore,
  type VersionContent,
  type VersionNote,
  type VersionRecord,
} from './design-contents.store.js';
import { nextVersion } from './version-number.js';
import { VersionsStore } from './versions.store.js';

/** The design of the version. */
type VersionOwner = Pick<VersionRecord, 'id' | 'organizationId'>;

/** A version ready to be stored. */
export interface PreparedVersion {
  /** The fields of the design when this is its current version. */
  design: Pick<VersionRecord, 'versionNumber' | 'version' | 'sourceType'> & { unsupported: string };
  file: PackedDesign;
  /**
   * Stores the version in the transaction that locks the design.
   * @throws VersionNumberTaken when another version was stored first
   */
  write(): Promise<void>;
}

/** The version number was taken by a concurrent change. */
export class VersionNumberTaken extends Conflict {
  constructor() {
    super('CONCURRENT_CHANGE', 'other changes of this design came first', { remedy: 'Repeat the call.' });
  }
}

const MAX_ATTEMPTS = 5;

/** Stores contents as the next versions of designs, numbered without gaps. */
@Injectable()
export class VersionWriter {
  constructor(
    private readonly versions: VersionsStore,
    private readonly contents: DesignContentsStore,
    private readonly checks: DesignCheckRegistry,
  ) {}

  /** Compresses and encrypts before the transaction, so that it holds no locks during that time. */
  async prepareNext(
    current: VersionOwner,
    { file, sourceType, source }: VersionContent,
    note: VersionNote,
  ): Promise<PreparedVersion> {
    const last = await this.versions.getLatest(current.id);
    const version = nextVersion(last.version, file.version);
    const unsupported = await this.checks.findUnsupportedReason(file);
    const design = { versionNumber: last.number + 1, version, sourceType, unsupported };
    const kept = file.withMembers({ id: current.id, version });
    const write = await this.contents.prepareInsert(
      { id: current.id, organizationId: current.organizationId, ...design },
      kept,
      source,
      note,
    );
    return {
      design,
      file: kept,
      write: async () => {
        const { number } = await this.versions.getLatest(current.id);
        if (number !== last.number) throw new VersionNumberTaken();
        await write();
      },
    };
  }

  /** Prepares a version and runs work that stores it; starts over when only its number was taken concurrently. */
  async withNextVersion<T>(
    current: VersionOwner,
    content: VersionContent,
    note: VersionNote,
    work: (version: PreparedVersion) => Promise<T>,
    attempts = MAX_ATTEMPTS,
  ): Promise<T> {
    try {
      return await work(await this.prepareNext(current, content, note));
    } catch (error) {
      if (!(error instanceof VersionNumberTaken) || attempts <= 1) throw error;
      return this.withNextVersion(current, content, note, work, attempts - 1);
    }
  }
}
