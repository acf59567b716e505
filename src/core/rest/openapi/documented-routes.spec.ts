import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { NameInput } from '../../schema/input-fields.js';
import { RecordsField, TextField } from '../../schema/view-fields.js';
import { assertUniqueSchemas, DocumentedRoute } from './documented-routes.js';

const makeItem = () => {
  class Item {
    @TextField({ rest: true })
    name!: string;
  }
  return Item;
};
const [First, Second] = [makeItem(), makeItem()];

class Listed {
  @RecordsField(() => First, { rest: true })
  items!: object[];
}

class Sent {
  @NameInput()
  name!: string;
}

const routeOf = (Response: new () => object): DocumentedRoute => {
  @Controller('things')
  class Things {
    @Post()
    @ApiOkResponse({ type: Response })
    create(@Body() input: Sent): Sent {
      return input;
    }
  }
  return new DocumentedRoute(Things, Reflect.get(Things.prototype, 'create'));
};

it('two classes of one name are refused, also where one is only the class of a field', () => {
  expect(() => assertUniqueSchemas([routeOf(Listed), routeOf(First), routeOf(Listed)])).not.toThrow();
  expect(() => assertUniqueSchemas([routeOf(Listed), routeOf(Second)])).toThrow(/two classes .* named Item/);
});
