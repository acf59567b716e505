import { Injectable } from '@nestjs/common';
import { inc } from 'semver';
import { Conflict } from '../../core/errors/app-error.js';
import type { PackedDesign } from '../../formats/packed-design.js';
import type { SourceFile } from '../../formats/source-file.js';
import { DesignChecks } from '../design-checks.js';
import { Design } from '../design.entity.js';
import type { SourceType } from '../formats/source-type.js';
import { DesignContents, type VersionNote } from './design-contents.js';
import { VersionsStore } from './versions.store.js';

/** What a version holds: a design file, and the file that it was read from. */
export interface Content {
  file: PackedDesign;
  sourceType: SourceType;
  source: SourceFile;
}

/** A version that is ready to be kept. */
export interface NewVersion {
  /** What the design is once this is its current version. */
  design: Pick<Design, 'versionNumber' | 'version' | 'sourceType' | 'unsupported'>;
  file: PackedDesign;
  /**
   * Keeps it, in the unit of work that holds the design.
   * @throws NumberTaken when another version came first
   */
  write(): Promise<void>;
}

/** Another version has the number by now. */
export class NumberTaken extends Conflict {
  constructor() {
    super('CONCURRENT_CHANGE', 'other changes of this design came first', { remedy: 'Repeat the call.' });
  }
}

const ATTEMPTS = 5;

/** Makes contents the next versions of designs: numbered without gaps, each a patch above the one before. */
@Injectable()
export class NewVersions {
  constructor(
    private readonly versions: VersionsStore,
    private readonly contents: DesignContents,
    private readonly checks: DesignChecks,
  ) {}

  /** Packs and seals before the transaction, so that nothing is held meanwhile. */
  async prepare(current: Design, { file, sourceType, source }: Content, note: VersionNote): Promise<NewVersion> {
    const last = await this.versions.last(current.id);
    const version = inc(last.version, 'patch') ?? '0.0.1';
    const unsupported = await this.checks.firstReason(file.outline);
    const design = { versionNumber: last.number + 1, version, sourceType, unsupported };
    const next = Object.assign(new Design(), current, design);
    const kept = file.with({ id: current.id, version });
    const write = await this.contents.prepare(next, kept, source, note);
    return {
      design,
      file: kept,
      write: async () => {
        const { number } = await this.versions.last(current.id);
        if (number !== last.number) throw new NumberTaken();
        await write();
      },
    };
  }

  /** Prepares a version for work that keeps it, and begins anew when only its number was taken meanwhile. */
  async keep<T>(
    current: Design,
    content: Content,
    note: VersionNote,
    work: (version: NewVersion) => Promise<T>,
    attempts = ATTEMPTS,
  ): Promise<T> {
    try {
      return await work(await this.prepare(current, content, note));
    } catch (error) {
      if (!(error instanceof NumberTaken) || attempts <= 1) throw error;
      return this.keep(current, content, note, work, attempts - 1);
    }
  }
}
