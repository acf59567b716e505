import { Global, Module } from '@nestjs/common';
import { ResponseBudget } from './answer-budget.js';

@Global()
@Module({ providers: [ResponseBudget], exports: [ResponseBudget] })
export class ResponsesModule {}
