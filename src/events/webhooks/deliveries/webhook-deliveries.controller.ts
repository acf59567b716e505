import { Body, Controller, Get, HttpCode, Post, Query, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../../core/access/actor.js';
import { CurrentActor } from '../../../core/access/access.decorators.js';
import { ListQuery } from '../../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../../core/listing/page.js';
import { IdParam } from '../../../core/rest/id.pipe.js';
import { NoStore } from '../../../core/rest/no-store.decorator.js';
import { AuditedCall } from '../../../core/authorization/audited-call.js';
import { RestOperation } from '../../../core/rest/openapi/rest-operation.decorator.js';
import { Recovery } from '../endpoints/webhook.inputs.js';
import { RecoveryView } from '../endpoints/webhook.view.js';
import type { WebhookRoutes } from '../endpoints/webhook-routes.js';
import { WebhookDeliveryPage, WebhookDeliveryView } from './webhook-delivery.view.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';

/** Creates the controller of deliveries for one kind of owner. */
export function createWebhookDeliveriesController(routes: WebhookRoutes): Type {
  const { Owner, OwnerParam, WebhookParam, Requires, toOwner } = routes;

  @ApiTags(routes.tag)
  @NoStore()
  @Controller(routes.path)
  class WebhookDeliveriesController {
    constructor(private readonly deliveries: WebhookDeliveriesService) {}

    @AuditedCall()
    @RestOperation(
      `test${Owner}Webhook`,
      'Test a webhook',
      'Sends an event of the kind webhook.test, also to a disabled endpoint. The delivery shows the outcome.',
    )
    @Post(':webhookId/test')
    @HttpCode(200)
    @Requires('send')
    @ApiOkResponse({ type: WebhookDeliveryView })
    async test(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
    ): Promise<WebhookDeliveryView> {
      return WebhookDeliveryView.fromEntity(await this.deliveries.test(actor, toOwner(id), webhookId));
    }

    @AuditedCall()
    @RestOperation(
      `recover${Owner}Webhook`,
      'Send deliveries again',
      'Sends again what failed in a span of time, or everything of it with the status `all`. The response is 410 when events of the span are no longer kept; it names the earliest time that can be sent.',
      { errors: [409, 410] },
    )
    @Post(':webhookId/recover')
    @HttpCode(200)
    @Requires('send')
    @ApiOkResponse({ type: RecoveryView })
    async recover(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @Body() input: Recovery,
    ): Promise<RecoveryView> {
      return { recovered: await this.deliveries.recover(actor, toOwner(id), webhookId, input) };
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
      const page = await this.deliveries.list(actor, toOwner(id), webhookId, query);
      return toPageEnvelope(page, 'deliveries', WebhookDeliveryView.fromEntity);
    }

    @RestOperation(
      `get${Owner}WebhookDelivery`,
      'Read a delivery',
      'Reads a delivery: the request, and each attempt with the beginning of its response.',
    )
    @Get(':webhookId/deliveries/:deliveryId')
    @ApiOkResponse({ type: WebhookDeliveryView })
    async getDelivery(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @IdParam('deliveryId') deliveryId: string,
    ): Promise<WebhookDeliveryView> {
      return WebhookDeliveryView.fromEntity(await this.deliveries.get(actor, toOwner(id), webhookId, deliveryId));
    }

    @AuditedCall()
    @RestOperation(
      `redeliver${Owner}WebhookDelivery`,
      'Send a delivery again',
      'Sends an event again, under the same webhook-id.',
      { errors: [409, 410] },
    )
    @Post(':webhookId/deliveries/:deliveryId/redeliver')
    @HttpCode(200)
    @Requires('send')
    @ApiOkResponse({ type: WebhookDeliveryView })
    async redeliver(
      @CurrentActor() actor: Actor,
      @OwnerParam() id: string,
      @WebhookParam() webhookId: string,
      @IdParam('deliveryId') deliveryId: string,
    ): Promise<WebhookDeliveryView> {
      return WebhookDeliveryView.fromEntity(await this.deliveries.redeliver(actor, toOwner(id), webhookId, deliveryId));
    }
  }
  return routes.name(WebhookDeliveriesController, 'WebhookDeliveriesController');
}
