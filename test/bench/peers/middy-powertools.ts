import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { z } from 'zod';

const logger = new Logger({ serviceName: 'petstore' });
const client = DynamoDBDocumentClient.from(
  new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT! }),
);
const Parameters = z.object({ petId: z.coerce.number().int().positive() });

/** As the documentation of Middy (middy.js.org) and Powertools (docs.aws.amazon.com/powertools) shows GET /pets/{petId}. */
export const handler = middy<APIGatewayProxyEvent>()
  .use(injectLambdaContext(logger))
  .use(httpJsonBodyParser({ disableContentTypeError: true }))
  .use(httpErrorHandler())
  .handler(async ({ pathParameters }) => {
    const { success, data } = Parameters.safeParse(pathParameters);
    if (!success) return { statusCode: 400, body: 'petId: expected a positive integer' };
    const Key = { pk: `PET#${data.petId}`, sk: 'PET' };
    const { Item } = await client.send(
      new GetCommand({ TableName: process.env.TABLE_NAME, Key, ConsistentRead: true }),
    );
    if (!Item) return { statusCode: 404, body: 'No pet has this id' };
    logger.info('got', data);
    return {
      statusCode: 200,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(Item),
    };
  });
