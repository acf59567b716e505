import type { Type } from '@nestjs/common';
import { IdParam } from '../../../core/rest/id.pipe.js';
import { type RecordAuthorizer, RequiresRight } from '../../../core/rest/rights/rights.decorators.js';
import {
  OrganizationWebhookAuthorizer,
  WEBHOOK_POLICIES,
  type WebhookOwner,
  WorkspaceWebhookAuthorizer,
} from './webhook-owners.service.js';
import type { WebhookOperation } from './webhook.policy.js';

/** Where the endpoints of one kind of owner are reached, under which names, and with which rights. */
export class WebhookRoutes {
  /** The owner in the names of operations. */
  readonly Owner: 'Workspace' | 'Organization';
  /** The owner in descriptions. */
  readonly anOwner: string;

  constructor(
    private readonly type: WebhookOwner['type'],
    readonly path: string,
    /** The parameter of the path that names the owner. */
    private readonly parameter: string,
    readonly tag: string,
    private readonly authorizer: Type<RecordAuthorizer>,
  ) {
    this.Owner = type === 'workspace' ? 'Workspace' : 'Organization';
    this.anOwner = type === 'workspace' ? 'a workspace' : 'an organization';
  }

  readonly OwnerParam = (): ParameterDecorator => IdParam(this.parameter);
  readonly WebhookParam = (): ParameterDecorator => IdParam('webhookId');

  /** The right to create endpoints of the owner, or to do something else with one of them. */
  readonly Requires = (operation: WebhookOperation): MethodDecorator => {
    const parameters = operation === 'create' ? [this.parameter] : [this.parameter, 'webhookId'];
    return RequiresRight(WEBHOOK_POLICIES[this.type][operation], this.authorizer, ...parameters);
  };

  /** The owner that a path names. */
  readonly toOwner = (id: string): WebhookOwner => ({ type: this.type, id });

  /** Gives a controller that is made of these routes its name, which must differ from that of other owners. */
  name<C extends Type>(controller: C, suffix: string): C {
    return Object.defineProperty(controller, 'name', { value: `${this.Owner}${suffix}` });
  }
}

export const WEBHOOK_ROUTES: readonly WebhookRoutes[] = [
  new WebhookRoutes('workspace', 'workspaces/:id/webhooks', 'id', 'workspaces', WorkspaceWebhookAuthorizer),
  new WebhookRoutes(
    'organization',
    'identity/orgs/:orgId/webhooks',
    'orgId',
    'organizations',
    OrganizationWebhookAuthorizer,
  ),
];
