import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { serve } from '../support/server.js';

/** The same answer of NestJS on Express alone: what the product adds to a request is the difference. */
@Controller('bench')
class HelloController {
  @Get('open')
  open(): { hello: string } {
    return { hello: 'world' };
  }
}

@Module({ controllers: [HelloController] })
class BareModule {}

const app = await NestFactory.create(BareModule, { logger: false });
app.setGlobalPrefix('api');
await app.listen(0, '127.0.0.1');
serve(await app.getUrl(), () => app.close());
