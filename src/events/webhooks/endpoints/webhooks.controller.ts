import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query, type Type } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../../core/access/actor.js';
import { CurrentActor } from '../../../core/access/access.decorators.js';
import { ListQuery } from '../../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../../core/listing/page.js';
import { NoStore } from '../../../core/rest/no-store.decorator.js';
import { RestOperation } from '../../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../../core/rest/precondition.js';
import { NewWebhook, WebhookChange } from './webhook.inputs.js';
import { WebhookPage, WebhookSecretView, WebhookView } from './webhook.view.js';
import type { WebhookRoutes } from './webhook-routes.js';
import { WebhooksService } from './webhooks.service.js';

/** Creates the webhook controller of one kind of owner. */
export function createWebhooksController(routes: WebhookRoutes): Type {
  const { Owner, anOwner, OwnerParam, WebhookParam, Requires, toOwner } = routes;

  @ApiTags(routes.tag)
  @NoStore()
  @Controller(routes.path)
  class WebhooksController {
    constructor(private readonly webhooks: WebhooksService) {}

    @RestOperation(
      `list${Owner}Webhooks`,
      'List webhooks',
      `Lists the endpoints that events of ${anOwner} are sent to.`,
    )
    @Get()
    @ApiOkResponse({ type: WebhookPage })
    async list(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @Query() query: ListQuery,
    ): Promise<PageEnvelope> {
      return toPageEnvelope(await this.webhooks.list(actor, toOwner(id), query), 'webhooks', WebhookView.fromEntity);
    }

    @RestOperation(
      `create${Owner}Webhook`,
      'Create a webhook',
      `Registers an endpoint for events of ${anOwner}. The response has the secret that deliveries are signed with; it is not shown again.`,
    )
    @Post()
    @Requires('create')
    @ApiCreatedResponse({ type: WebhookSecretView })
    async create(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @Body() input: NewWebhook,
    ): Promise<WebhookSecretView> {
      return WebhookSecretView.fromSecret(await this.webhooks.create(actor, toOwner(id), input));
    }

    @RestOperation(`get${Owner}Webhook`, 'Read a webhook', 'Reads an endpoint, without its secrets.')
    @Get(':webhookId')
    @ApiOkResponse({ type: WebhookView })
    async get(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
    ): Promise<WebhookView> {
      return WebhookView.fromEntity(await this.webhooks.get(actor, toOwner(id), webhookId));
    }

    @RestOperation(
      `update${Owner}Webhook`,
      'Update a webhook',
      'Changes the fields that are sent. Enabling it resets its failures.',
    )
    @Put(':webhookId')
    @Requires('update')
    @ApiOkResponse({ type: WebhookView })
    async update(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @Body() input: WebhookChange,
      @IfMatch() match: Precondition,
    ): Promise<WebhookView> {
      return WebhookView.fromEntity(await this.webhooks.update(actor, toOwner(id), webhookId, input, match));
    }

    @RestOperation(`delete${Owner}Webhook`, 'Delete a webhook', 'Deletes an endpoint; pending deliveries are not sent.')
    @Delete(':webhookId')
    @Requires('delete')
    @ApiOkResponse({ type: WebhookView })
    async delete(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @IfMatch() match: Precondition,
    ): Promise<WebhookView> {
      return WebhookView.fromEntity(await this.webhooks.delete(actor, toOwner(id), webhookId, match));
    }

    @RestOperation(
      `rotate${Owner}WebhookSecret`,
      'Rotate the secret of a webhook',
      'Makes a new secret. For 24 hours deliveries are also signed with the previous secret.',
    )
    @Post(':webhookId/rotate')
    @HttpCode(200)
    @Requires('rotate')
    @ApiOkResponse({ type: WebhookSecretView })
    async rotate(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
    ): Promise<WebhookSecretView> {
      return WebhookSecretView.fromSecret(await this.webhooks.rotate(actor, toOwner(id), webhookId));
    }
  }
  return routes.name(WebhooksController, 'WebhooksController');
}
