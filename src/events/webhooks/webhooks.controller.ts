import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query, type Type } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { NoStore } from '../../core/rest/no-store.decorator.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { type RecordAuthorizer, RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { WebhookDeliveryPage, WebhookDeliveryView } from './deliveries/webhook-delivery.view.js';
import { WebhookDeliveriesService } from './deliveries/webhook-deliveries.service.js';
import {
  OrganizationWebhookAuthorizer,
  WEBHOOK_POLICIES,
  type WebhookOwner,
  WorkspaceWebhookAuthorizer,
} from './endpoints/webhook-owners.service.js';
import { NewWebhook, Recovery, WebhookChange } from './endpoints/webhook.inputs.js';
import { RecoveryView, WebhookPage, WebhookSecretView, WebhookView } from './endpoints/webhook.view.js';
import { WebhooksService } from './endpoints/webhooks.service.js';

/** Where the endpoints of one kind of owner are reached. */
interface WebhookRoutes {
  type: WebhookOwner['type'];
  path: string;
  /** The parameter of the path that names the owner. */
  parameter: string;
  tag: string;
  authorizer: Type<RecordAuthorizer>;
}

/** The same routes below workspaces and below organizations, under the names and rights of each. */
function createWebhooksController({ type, path, parameter, tag, authorizer }: WebhookRoutes) {
  const policy = WEBHOOK_POLICIES[type];
  const Owner = type === 'workspace' ? 'Workspace' : 'Organization';
  const article = type === 'workspace' ? 'a' : 'an';
  const OwnerParam = () => IdParam(parameter);
  const WebhookParam = () => IdParam('webhookId');
  const owner = (id: string): WebhookOwner => ({ type, id });

  @ApiTags(tag)
  @NoStore()
  @Controller(path)
  class WebhooksController {
    constructor(
      private readonly webhooks: WebhooksService,
      private readonly deliveries: WebhookDeliveriesService,
    ) {}

    @RestOperation(
      `list${Owner}Webhooks`,
      'List webhooks',
      `Lists the endpoints that events of ${article} ${type} are sent to.`,
    )
    @Get()
    @ApiOkResponse({ type: WebhookPage })
    async list(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @Query() query: ListQuery,
    ): Promise<PageEnvelope> {
      return toPageEnvelope(await this.webhooks.list(actor, owner(id), query), 'webhooks', WebhookView.fromEntity);
    }

    @RestOperation(
      `create${Owner}Webhook`,
      'Create a webhook',
      `Registers an endpoint for events of ${article} ${type}. The answer has the secret that deliveries are signed with; it is not shown again.`,
      { example: { url: 'https://example.com/hooks', events: ['deployment.*'] } },
    )
    @Post()
    @RequiresRight(policy.create, authorizer, parameter)
    @ApiCreatedResponse({ type: WebhookSecretView })
    async create(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @Body() input: NewWebhook,
    ): Promise<WebhookSecretView> {
      return WebhookSecretView.fromSecret(await this.webhooks.create(actor, owner(id), input));
    }

    @RestOperation(`get${Owner}Webhook`, 'Read a webhook', 'Reads an endpoint, without its secrets.')
    @Get(':webhookId')
    @ApiOkResponse({ type: WebhookView })
    async get(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
    ): Promise<WebhookView> {
      return WebhookView.fromEntity(await this.webhooks.get(actor, owner(id), webhookId));
    }

    @RestOperation(
      `update${Owner}Webhook`,
      'Update a webhook',
      'Changes the fields that are sent. Enabling it resets its failures.',
    )
    @Put(':webhookId')
    @RequiresRight(policy.update, authorizer, parameter, 'webhookId')
    @ApiOkResponse({ type: WebhookView })
    async update(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @Body() input: WebhookChange,
      @IfMatch() match: Precondition,
    ): Promise<WebhookView> {
      return WebhookView.fromEntity(await this.webhooks.update(actor, owner(id), webhookId, input, match));
    }

    @RestOperation(`delete${Owner}Webhook`, 'Delete a webhook', 'Deletes an endpoint; pending deliveries are not sent.')
    @Delete(':webhookId')
    @RequiresRight(policy.delete, authorizer, parameter, 'webhookId')
    @ApiOkResponse({ type: WebhookView })
    async delete(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @IfMatch() match: Precondition,
    ): Promise<WebhookView> {
      return WebhookView.fromEntity(await this.webhooks.delete(actor, owner(id), webhookId, match));
    }

    @RestOperation(
      `rotate${Owner}WebhookSecret`,
      'Rotate the secret of a webhook',
      'Makes a new secret. For 24 hours deliveries are also signed with the previous secret.',
    )
    @Post(':webhookId/rotate')
    @HttpCode(200)
    @RequiresRight(policy.rotate, authorizer, parameter, 'webhookId')
    @ApiOkResponse({ type: WebhookSecretView })
    async rotate(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
    ): Promise<WebhookSecretView> {
      return WebhookSecretView.fromSecret(await this.webhooks.rotate(actor, owner(id), webhookId));
    }

    @RestOperation(
      `test${Owner}Webhook`,
      'Test a webhook',
      'Sends an event of the kind webhook.test, also to a disabled endpoint. The delivery shows the outcome.',
    )
    @Post(':webhookId/test')
    @HttpCode(200)
    @RequiresRight(policy.send, authorizer, parameter, 'webhookId')
    @ApiOkResponse({ type: WebhookDeliveryView })
    async test(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
    ): Promise<WebhookDeliveryView> {
      return WebhookDeliveryView.fromEntity(await this.deliveries.test(actor, owner(id), webhookId));
    }

    @RestOperation(
      `recover${Owner}Webhook`,
      'Send deliveries again',
      'Sends again what failed in a span of time, or everything of it with the status `all`. The answer is 410 when events of the span are no longer kept; it names the earliest time that can be sent.',
      { errors: [409, 410], example: { since: '2026-01-01T00:00:00Z' } },
    )
    @Post(':webhookId/recover')
    @HttpCode(200)
    @RequiresRight(policy.send, authorizer, parameter, 'webhookId')
    @ApiOkResponse({ type: RecoveryView })
    async recover(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @Body() input: Recovery,
    ): Promise<RecoveryView> {
      return { recovered: await this.deliveries.recover(actor, owner(id), webhookId, input) };
    }

    @RestOperation(
      `list${Owner}WebhookDeliveries`,
      'List deliveries of a webhook',
      'Lists the deliveries to an endpoint of the last 30 days, pending ones included.',
    )
    @Get(':webhookId/deliveries')
    @ApiOkResponse({ type: WebhookDeliveryPage })
    async listDeliveries(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @Query() query: ListQuery,
    ): Promise<PageEnvelope> {
      const page = await this.deliveries.list(actor, owner(id), webhookId, query);
      return toPageEnvelope(page, 'deliveries', WebhookDeliveryView.fromEntity);
    }

    @RestOperation(
      `get${Owner}WebhookDelivery`,
      'Read a delivery',
      'Reads a delivery: the request, and each attempt with the beginning of its answer.',
    )
    @Get(':webhookId/deliveries/:deliveryId')
    @ApiOkResponse({ type: WebhookDeliveryView })
    async getDelivery(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @IdParam('deliveryId') deliveryId: string,
    ): Promise<WebhookDeliveryView> {
      return WebhookDeliveryView.fromEntity(await this.deliveries.get(actor, owner(id), webhookId, deliveryId));
    }

    @RestOperation(
      `redeliver${Owner}WebhookDelivery`,
      'Send a delivery again',
      'Sends an event again, under the same webhook-id.',
      { errors: [409, 410] },
    )
    @Post(':webhookId/deliveries/:deliveryId/redeliver')
    @HttpCode(200)
    @RequiresRight(policy.send, authorizer, parameter, 'webhookId')
    @ApiOkResponse({ type: WebhookDeliveryView })
    async redeliver(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @IdParam('deliveryId') deliveryId: string,
    ): Promise<WebhookDeliveryView> {
      return WebhookDeliveryView.fromEntity(await this.deliveries.redeliver(actor, owner(id), webhookId, deliveryId));
    }
  }
  Object.defineProperty(WebhooksController, 'name', { value: `${Owner}WebhooksController` });
  return WebhooksController;
}

export const WorkspaceWebhooksController = createWebhooksController({
  type: 'workspace',
  path: 'workspaces/:id/webhooks',
  parameter: 'id',
  tag: 'workspaces',
  authorizer: WorkspaceWebhookAuthorizer,
});

export const OrganizationWebhooksController = createWebhooksController({
  type: 'organization',
  path: 'identity/orgs/:orgId/webhooks',
  parameter: 'orgId',
  tag: 'organizations',
  authorizer: OrganizationWebhookAuthorizer,
});
