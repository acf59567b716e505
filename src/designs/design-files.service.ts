import { Injectable } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { Precondition } from '../core/rest/precondition.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import {
  type PlacementInput,
  WorkspacePlacementService,
} from '../workspaces/workspace-owned/workspace-placement.service.js';
import { DesignContentsStore } from './contents/design-contents.store.js';
import type { Design } from './design.entity.js';
import { DesignImported } from './design.events.js';
import { designPolicy } from './design.policy.js';
import { DesignInsertionService } from './design-insertion.service.js';
import { DesignRemovalService } from './design-removal.service.js';
import { DesignSourceReader, type ParsedDesignSource } from './design-source.reader.js';
import { DesignsStore } from './designs.store.js';

/** The design of a file, which is new until it is stored. */
export interface FileDesign {
  design: Design;
  /** Stores a new design. */
  store: () => Promise<void>;
  /** Deletes what `store` stored, when the use of the file is refused. */
  discard: () => Promise<void>;
}

interface FileInput extends PlacementInput {
  name?: string;
  pattern_file: string;
}

/** Finds or makes the designs of files that are used without a design. */
@Injectable()
export class DesignFilesService {
  constructor(
    private readonly placement: WorkspacePlacementService,
    private readonly sources: DesignSourceReader,
    private readonly designs: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly insertion: DesignInsertionService,
    private readonly removal: DesignRemovalService,
  ) {}

  /**
   * With the rights and checks of an import. The same file of the same user in the same workspace is the same design.
   * @throws the errors of an import
   */
  async prepare(actor: Actor, { pattern_file, name, ...place }: FileInput): Promise<FileDesign> {
    const workspace = await this.placement.resolve(actor, place, designPolicy.create);
    const source = await this.sources.fromPatternData({ pattern_file }, name);
    const known = await this.findSame(actor, workspace, source, name);
    if (known) return { design: known, store: () => Promise.resolve(), discard: () => Promise.resolve() };
    const { design } = await this.insertion.insert(actor, workspace, source, { name }, false, DesignImported);
    let isStored = false;
    return {
      design,
      store: async () => {
        await this.insertion.insert(actor, workspace, source, { id: design.id, name }, true, DesignImported);
        isStored = true;
      },
      discard: async () => {
        if (isStored)
          await this.removal.delete(Actor.system('the file was not deployed'), design.id, Precondition.none);
      },
    };
  }

  private async findSame(
    actor: Actor,
    workspace: Workspace,
    { imported, file }: ParsedDesignSource,
    name = imported.name,
  ): Promise<Design | undefined> {
    const content = { file: imported.design, sourceType: imported.sourceType, source: file };
    for (const id of await this.designs.findNamesakes(workspace.id, name)) {
      const design = await this.designs.find(actor, id);
      if (design?.userId === actor.userId && (await this.contents.isCurrentContent(design, content))) return design;
    }
    return undefined;
  }
}
