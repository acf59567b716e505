import { Global, Module } from '@nestjs/common';
import { ResponseBudget } from './response-budget.service.js';

@Global()
@Module({ providers: [ResponseBudget], exports: [ResponseBudget] })
export class ResponsesModule {}
