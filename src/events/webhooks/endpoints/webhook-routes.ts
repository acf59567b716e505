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

/** Paths, names and rights of the webhook routes of one kind of owner. */
export class WebhookRoutes {
  /** The owner in operation names. */
  readonly Owner: 'Workspace' | 'Organization';
  /** The owner in descriptions. */
  readonly anOwner: string;

  constructor(
    private readonly type: WebhookOwner['type'],
    readonly path: string,
    /** The path parameter with the owner's id. */
    private readonly parameter: string,
    readonly tag: string,
    private readonly authorizer: Type<RecordAuthorizer>,
  ) {
    this.Owner = type === 'workspace' ? 'Workspace' : 'Organization';
    this.anOwner = type === 'workspace' ? 'a workspace' : 'an organization';
  }

  readonly OwnerParam = (): ParameterDecorator => IdParam(this.parameter);
  readonly WebhookParam = (): ParameterDecorator => IdParam('webhookId');

  /** Requires the right to an operation: on the owner to create, otherwise on the webhook. */
  readonly Requires = (operation: WebhookOperation): MethodDecorator => {
    const parameters = operation === 'create' ? [this.parameter] : [this.parameter, 'webhookId'];
    return RequiresRight(WEBHOOK_POLICIES[this.type][operation], this.authorizer, ...parameters);
  };

  /** Returns the owner with the id of the path. */
  readonly toOwner = (id: string): WebhookOwner => ({ type: this.type, id });

  /** Names a controller of these routes; the names of controllers must be unique. */
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
