import { Injectable } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { Access } from '../core/authorization/access.service.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
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
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';

/** The design of a file, which is new until it is stored. */
export interface FileDesign {
  design: Design;
  /** Stores a new design, unless another call of the user has stored the same one meanwhile, which is returned then. */
  store: () => Promise<Design>;
  /** Deletes what `store` stored and nothing uses, when the use of the file is refused. */
  discard: (isUsed: (designId: string) => Promise<boolean>) => Promise<void>;
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
    private readonly designs: DesignsService,
    private readonly store: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly insertion: DesignInsertionService,
    private readonly removal: DesignRemovalService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * With the rights and checks of an import. The same file of the same user in the same workspace is the same design.
   * @param use what the file is used for, which the actor must have the right to there as well
   * @throws the errors of an import
   */
  async prepare(actor: Actor, { pattern_file, name, ...place }: FileInput, use: Operation): Promise<FileDesign> {
    const workspace = await this.placement.resolve(actor, place, designPolicy.create);
    const { id, organizationId } = workspace;
    await this.access.authorize(actor, use, { type: 'workspace', id, organizationId });
    const source = await this.sources.fromPatternData({ pattern_file }, name);
    const compared = new Set<string>();
    const findSame = () => this.findSame(actor, workspace, source, compared, name);
    const known = await findSame();
    if (known) return { design: known, store: () => Promise.resolve(known), discard: () => Promise.resolve() };
    const parsed = await this.insertion.parse(actor, workspace, source, { name });
    const { design } = parsed;
    let isStored = false;
    return {
      design,
      store: async () => {
        const write = await this.insertion.prepare(actor, parsed, source, DesignImported);
        for (;;) {
          isStored = await this.writeUnlessNamesake(actor, design, compared, write);
          const stored = isStored ? design : await findSame();
          if (stored) return stored;
        }
      },
      discard: async (isUsed) => {
        if (isStored) await this.deleteUnused(design.id, isUsed);
      },
    };
  }

  /** Stores a design unless its workspace has one of its name that it was not compared with. Calls of one user wait for each other. */
  private writeUnlessNamesake(
    actor: Actor,
    { workspaceId, name }: Design,
    compared: ReadonlySet<string>,
    write: () => Promise<unknown>,
  ): Promise<boolean> {
    return this.unit.run(async () => {
      const key = `design of a file ${workspaceId} ${actor.userId} ${name}`;
      await this.unit.manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
      const namesakes = await this.store.findNamesakes(workspaceId, name);
      if (namesakes.some((id) => !compared.has(id))) return false;
      await write();
      return true;
    });
  }

  private deleteUnused(id: string, isUsed: (designId: string) => Promise<boolean>): Promise<void> {
    const system = Actor.system('the file was not deployed');
    return this.unit.run(async () => {
      await this.designs.getForUpdate(system, id, 'delete');
      if (!(await isUsed(id))) await this.removal.delete(system, id, Precondition.none);
    });
  }

  /** @param compared ids of designs to leave out, to which those are added that were compared */
  private async findSame(
    actor: Actor,
    workspace: Workspace,
    { imported, file }: ParsedDesignSource,
    compared: Set<string>,
    name = imported.name,
  ): Promise<Design | undefined> {
    const content = { file: imported.design, sourceType: imported.sourceType, source: file };
    for (const id of await this.store.findNamesakes(workspace.id, name)) {
      if (compared.has(id)) continue;
      compared.add(id);
      const design = await this.store.find(actor, id);
      if (design?.userId === actor.userId && (await this.contents.isCurrentContent(design, content))) return design;
    }
    return undefined;
  }
}
