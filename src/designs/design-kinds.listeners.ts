import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { InvalidRequest, NotFound } from '../core/errors/app-error.js';
import { asObject, asText, type JsonObject } from '../core/json/json.js';
import { type DesignKinds, DesignKindsRegistry } from '../kubernetes/rights/design-kinds.registry.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { DesignContentsStore } from './contents/design-contents.store.js';
import { DesignListQuery } from './design.inputs.js';
import { DesignsService } from './designs.service.js';

/** The most designs whose contents one request reads. */
const MAX_DESIGNS = 200;
const DEFINITION = 'CustomResourceDefinition';

/** Reads which kinds the designs of a workspace contain, for those who make a credential that deploys them. */
@Injectable()
export class DesignKindsListeners implements OnModuleInit {
  constructor(
    private readonly registry: DesignKindsRegistry,
    private readonly workspaces: WorkspacesService,
    private readonly designs: DesignsService,
    private readonly contents: DesignContentsStore,
  ) {}

  onModuleInit(): void {
    this.registry.register((actor, organizationId, workspaceId) => this.read(actor, organizationId, workspaceId));
  }

  private async read(actor: Actor, organizationId: string, workspaceId: string): Promise<DesignKinds> {
    const workspace = await this.workspaces.get(actor, workspaceId);
    if (workspace.organizationId !== organizationId) throw new NotFound('workspace', workspaceId);
    const query = Object.assign(new DesignListQuery(), { workspace_id: workspaceId, pagesize: String(MAX_DESIGNS) });
    const { items, total } = await this.designs.list(actor, query);
    if (total > MAX_DESIGNS)
      throw InvalidRequest.forField('workspace_id', `has more than ${MAX_DESIGNS} designs, whose kinds are not read`);
    const found = new Map<string, DesignKinds['kinds'][number]>();
    const defined: DesignKinds['defined'] = [];
    for (const design of items) {
      let hasDefinitions = false;
      const { outline } = await this.contents.readDesign(design);
      for await (const kinds of outline.iterateKinds())
        for (const { apiVersion, kind, deployable } of kinds) {
          if (deployable) found.set(`${apiVersion} ${kind}`, { apiVersion, kind });
          hasDefinitions ||= deployable && kind === DEFINITION;
        }
      if (hasDefinitions)
        for (const { object } of await this.contents.readResources(design))
          if (object['kind'] === DEFINITION) defined.push(...toDefinedKind(asObject(object['spec'])));
    }
    return { kinds: [...found.values()], defined };
  }
}

/** The names that a CustomResourceDefinition may give; others, such as `*`, would be rules about something else. */
const GROUP = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}$/;
const PLURAL = /^[a-z][a-z0-9-]{0,62}$/;
const KIND = /^[A-Za-z][A-Za-z0-9]{0,62}$/;

function toDefinedKind(spec: JsonObject): DesignKinds['defined'] {
  const names = asObject(spec['names']);
  const [group, kind, plural] = [asText(spec['group']), asText(names['kind']), asText(names['plural'])];
  if (!GROUP.test(group) || !KIND.test(kind) || !PLURAL.test(plural)) return [];
  return [{ group, kind, plural, namespaced: spec['scope'] !== 'Cluster' }];
}
