import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { HTTPException } from 'hono/http-exception';
import { logger } from 'hono/logger';
import { z } from 'zod';

const client = DynamoDBDocumentClient.from(
  new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT! }),
);
const Parameters = z.object({ petId: z.coerce.number().int().positive() });

/** As the documentation of Hono shows GET /pets/{petId} (hono.dev, "AWS Lambda", "Validation" and "Logger"). */
const app = new Hono();
app.use(logger(text => console.info(text)));
app.get('/pets/:petId', zValidator('param', Parameters), async context => {
  const { petId } = context.req.valid('param');
  const Key = { pk: `PET#${petId}`, sk: 'PET' };
  const { Item } = await client.send(
    new GetCommand({ TableName: process.env.TABLE_NAME, Key, ConsistentRead: true }),
  );
  if (!Item) throw new HTTPException(404, { message: 'No pet has this id' });
  return context.json(Item);
});

export const handler = handle(app);
