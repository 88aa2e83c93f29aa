// The types of the API, generated from its OpenAPI document. Do not edit.
export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pets
         * @description Returns pages, newest first. With `id`, the response contains each requested pet that exists and matches the filters, and has no pages. An unknown category returns an empty list. If you request exactly one id and it is found, the response has the ETag of that pet, and `If-None-Match` applies.
         *
         *     *Rate limit:* 10 requests per second, shared by all callers, with a burst of 60. Requests above it return 429.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Create a pet
         * @description A new pet has one unit, unless its status is `sold`; set the number with setInventory. `categoryId` is an id that listCategories returns. The default status is `available`. With `pending` or `sold`, the pet is on hold. An automatic change never takes a pet off hold.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 20. Requests above it return 429.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a pet (deprecated, sunset 2027-12-31)
         * @deprecated
         * @description **Deprecated** since 2026-11-01, **sunset 2027-12-31**: use `GET /pets?id={petId}`, which returns an array with the pet, or an empty array. The response headers have both dates.
         *
         *     A strongly consistent read.
         *
         *     *Rate limit:* 2 requests per second, shared by all callers, with a burst of 20. Requests above it return 429.
         */
        get: operations["getPet"];
        /**
         * Replace a pet
         * @description You can send back a pet as listPets returned it; its `id` must be equal to the id in the path. Without `status`, the status does not change. A change to `pending` or `sold` puts the pet on hold. `available` takes it off hold, and returns 409 `out_of_stock` if no unit is available.
         *
         *     *Rate limit:* 1 request every 2 seconds, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        put: operations["replacePet"];
        post?: never;
        /**
         * Delete a pet
         * @description Returns 409 `pet_has_open_orders` if the pet has open orders; listOrders finds them by `petId`. Its complete orders remain.
         *
         *     *Rate limit:* 1 request every 2 seconds, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        /**
         * Update a pet (beta)
         * @description **Beta**: may change within 1.x; the changelog announces changes.
         *
         *     A JSON merge patch (RFC 7396). No field can be removed: `null` returns 400. The status follows the rules of replacePet.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 20. Requests above it return 429.
         */
        patch: operations["updatePet"];
        trace?: never;
    };
    "/pets/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List categories
         * @description Returns pages, newest first.
         *
         *     *Rate limit:* 2 requests per second, shared by all callers, with a burst of 20. Requests above it return 429.
         */
        get: operations["listCategories"];
        put?: never;
        /**
         * Create a category
         * @description Stores the name without leading and trailing white space.
         *
         *     *Rate limit:* 1 request every 2 seconds, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        post: operations["createCategory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/categories/{categoryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a category
         * @description A strongly consistent read.
         *
         *     *Rate limit:* 2 requests per second, shared by all callers, with a burst of 20. Requests above it return 429.
         */
        get: operations["getCategory"];
        /**
         * Replace a category
         * @description Without `description`, the description is removed. You can send back a category as GET returned it; its `id` must be equal to the id in the path.
         *
         *     *Rate limit:* 1 request every 2 seconds, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        put: operations["replaceCategory"];
        post?: never;
        /**
         * Delete a category
         * @description Returns 409 `category_in_use` if the category has pets.
         *
         *     *Rate limit:* 1 request every 2 seconds, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        delete: operations["deleteCategory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List stock
         * @description Returns pages, newest pet first: the available quantity and the status of each pet.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        get: operations["listInventory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/inventory/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the stock of a pet
         * @description `quantity` is the number of units available to order. It does not include units in open orders.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 20. Requests above it return 429.
         */
        get: operations["getInventory"];
        /**
         * Set the stock of a pet
         * @description Sets the available quantity. Units in open orders are not included, and do not change. At 0 the pet is not `available`. Above 0 it becomes `available`, unless it is on hold. Send `If-Match`: without it, a late request overwrites the effect of orders that were placed since the count.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 20. Requests above it return 429.
         */
        put: operations["setInventory"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Returns pages, newest first: your own orders, or all orders with scope `petstore/orders.manage`. All filters can be combined. The time of an order is that of its id. An unknown pet returns an empty list.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Place an order
         * @description Reserves the units and stores the order in one transaction. `petId` is an id that listPets returns with `status=available`. `complete: true` is a counter sale: the order is complete at once, and its default ship date is the current time. It needs scope `petstore/orders.manage`.
         *
         *     *Rate limit:* 2 requests per second, shared by all callers, with a burst of 20. Requests above it return 429.
         */
        post: operations["placeOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an order
         * @description The order of another owner returns 404, unless the token has scope `petstore/orders.manage`.
         *
         *     *Rate limit:* 2 requests per second, shared by all callers, with a burst of 20. Requests above it return 429.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        /**
         * Cancel an order
         * @description Deletes the order and makes its units available again. Returns 409 `order_complete` if the order is complete.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        delete: operations["cancelOrder"];
        options?: never;
        head?: never;
        /**
         * Complete an order, or set its ship date (experimental)
         * @description **Experimental**: may change or end within 1.x.
         *
         *     A JSON merge patch (RFC 7396). `shipDate: null` removes the ship date. Completing an order without a ship date sets it to the current time. Completion is final: on a complete order, a patch that changes nothing returns 200, and any other returns 409 `order_complete`.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        patch: operations["updateOrder"];
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this document
         * @description OpenAPI 3.0.3, with the token URL of this stage.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read and try the API
         * @description An HTML page that shows this document.
         *
         *     *Rate limit:* 1 request per second, shared by all callers, with a burst of 10. Requests above it return 429.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file of the documentation page
         * @description The scripts and styles of the page at `/docs`, the typed client and the changelog.
         *
         *     *Rate limit:* 1 request every 2 seconds, shared by all callers, with a burst of 40. Requests above it return 429.
         */
        get: operations["getDocsFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description `available`: at least one unit can be ordered. `pending`: all units are ordered, or the pet is on hold. `sold`: no unit is left, or the pet is on hold.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /** @description A new pet. The default status is `available`. */
        NewPet: {
            /**
             * @description The name of the pet
             * @example Tom
             */
            name: string;
            /**
             * Format: int64
             * @description Identifier of the category
             * @example 243719355140436
             */
            categoryId: number;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description The name and category of a pet, and optionally its status and id. Without `status`, the status does not change. */
        PetReplacement: {
            /**
             * Format: int64
             * @description Must be equal to the id in the path
             * @example 243719355140437
             */
            id?: number;
            /**
             * @description The name of the pet
             * @example Tom
             */
            name: string;
            /**
             * Format: int64
             * @description Identifier of the category
             * @example 243719355140436
             */
            categoryId: number;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description A JSON merge patch of a pet: the fields that change. */
        PetPatch: {
            /**
             * @description The name of the pet
             * @example Tom
             */
            name?: string;
            /**
             * Format: int64
             * @description Identifier of the category
             * @example 243719355140436
             */
            categoryId?: number;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description A pet. */
        Pet: {
            /**
             * Format: int64
             * @description Unique identifier, assigned by the service on creation
             * @example 243719355140437
             */
            id: number;
            /**
             * @description The name of the pet
             * @example Tom
             */
            name: string;
            /**
             * Format: int64
             * @description Identifier of the category
             * @example 243719355140436
             */
            categoryId: number;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description Pets, newest first. */
        Pets: components["schemas"]["Pet"][];
        /** @description A new category. */
        NewCategory: {
            /**
             * @description The category name
             * @example Cats
             */
            name: string;
            /**
             * @description Short description of the category
             * @example Independent, quiet, awake at night
             */
            description?: string;
        };
        /** @description The name of a category, and optionally its description and id. Without `description`, the description is removed. */
        CategoryReplacement: {
            /**
             * Format: int64
             * @description Must be equal to the id in the path
             * @example 243719355140436
             */
            id?: number;
            /**
             * @description The category name
             * @example Cats
             */
            name: string;
            /**
             * @description Short description of the category
             * @example Independent, quiet, awake at night
             */
            description?: string;
        };
        /** @description A category of pets. */
        Category: {
            /**
             * Format: int64
             * @description Unique identifier, assigned by the service on creation
             * @example 243719355140436
             */
            id: number;
            /**
             * @description The category name
             * @example Cats
             */
            name: string;
            /**
             * @description Short description of the category
             * @example Independent, quiet, awake at night
             */
            description?: string;
        };
        /** @description A new order. */
        NewOrder: {
            /**
             * Format: int64
             * @description Identifier of the pet
             * @example 243719355140437
             */
            petId: number;
            /**
             * Format: int32
             * @description Number of units ordered; default 1
             * @example 2
             */
            quantity?: number;
            /**
             * Format: date-time
             * @description Expected or actual ship date, with an offset or `Z`
             * @example 2027-01-04T09:00:00Z
             */
            shipDate?: string;
            /**
             * @description Whether the order is complete; default false
             * @example false
             */
            complete?: boolean;
        };
        /** @description A JSON merge patch of an order: the fields that change. */
        OrderPatch: {
            /**
             * Format: date-time
             * @description Expected or actual ship date, with an offset or `Z`; `null` removes it
             * @example 2027-01-04T09:00:00Z
             */
            shipDate?: string | null;
            /**
             * @description Whether the order is complete
             * @example true
             */
            complete?: boolean;
        };
        /** @description An order of units of one pet. Every response has `id`, `petId`, `quantity` and `complete`. */
        Order: {
            /**
             * Format: int64
             * @description Unique order identifier
             * @example 243719355140438
             */
            id?: number;
            /**
             * Format: int64
             * @description Identifier of the pet
             * @example 243719355140437
             */
            petId?: number;
            /**
             * Format: int32
             * @description Number of units ordered
             * @example 2
             */
            quantity?: number;
            /**
             * Format: date-time
             * @description Expected or actual ship date, with an offset or `Z`
             * @example 2027-01-04T09:00:00Z
             */
            shipDate?: string;
            /**
             * @description Whether the order is complete
             * @example false
             */
            complete?: boolean;
        };
        /** @description The available quantity and the status of a pet. */
        InventoryItem: {
            /**
             * Format: int64
             * @description Identifier of the pet
             * @example 243719355140437
             */
            petId: number;
            /**
             * Format: int64
             * @description The number of units available to order, without units in open orders
             * @example 3
             */
            quantity: number;
            status: components["schemas"]["PetStatus"];
        };
        /** @description A new available quantity. */
        InventoryUpdate: {
            /**
             * Format: int32
             * @description The new number of units available to order
             * @example 3
             */
            quantity: number;
        };
        /** @description An error. Every error has exactly these fields. */
        Error: {
            /**
             * @description Machine-readable error code. No code is renamed within 1.x; more codes may be added. Now one of `invalid_request`, `invalid_cursor`, `unauthenticated`, `forbidden`, `not_found`, `pet_not_found`, `category_not_found`, `order_not_found`, `method_not_allowed`, `insufficient_stock`, `pet_not_available`, `out_of_stock`, `pet_has_open_orders`, `category_in_use`, `order_complete`, `gone`, `precondition_failed`, `payload_too_large`, `unsupported_media_type`, `idempotency_key_reused`, `too_many_requests`, `internal_error`, `bad_gateway`, `try_again`, `outcome_unknown`, `timeout`
             * @example pet_not_available
             */
            code: string;
            /**
             * @description Human-readable description of the error
             * @example The pet is not available.
             */
            message: string;
            /**
             * Format: int32
             * @description The HTTP status code
             * @example 409
             */
            status: number;
        };
        /** @description A change of a pet, as a CloudEvent 1.0 in JSON. */
        PetEvent: {
            /**
             * @description The version of CloudEvents
             * @example 1.0
             * @enum {string}
             */
            specversion: "1.0";
            /**
             * @description The same for each delivery and after republishing
             * @example pets/243719355140437/0001-0000000000000001/created
             */
            id: string;
            /**
             * @description The service and its stage
             * @example /petstore/prod
             */
            source: string;
            /**
             * @description The event type. More types may be added. Now one of `petstore.pet.created`, `petstore.pet.updated`, `petstore.pet.deleted`
             * @example petstore.pet.created
             */
            type: string;
            /**
             * @description The resource, as a path of this API
             * @example pets/243719355140437
             */
            subject: string;
            /**
             * Format: date-time
             * @description The commit time, to the second; for a republished event, the time of republication. Order events by `sequence`
             * @example 2027-01-04T09:00:00Z
             */
            time: string;
            /**
             * @description The media type of the data
             * @example application/json
             * @enum {string}
             */
            datacontenttype: "application/json";
            /**
             * @description Orders the events of one subject by string comparison. Events of one change have the same sequence. If they also have the same subject, their data is equal. Ignore events that are older than the newest one you have
             * @example 0001-0000000000000001
             */
            sequence: string;
            data: components["schemas"]["Pet"];
        };
        /** @description A change of a category, as a CloudEvent 1.0 in JSON. */
        CategoryEvent: {
            /**
             * @description The version of CloudEvents
             * @example 1.0
             * @enum {string}
             */
            specversion: "1.0";
            /**
             * @description The same for each delivery and after republishing
             * @example pets/categories/243719355140437/0001-0000000000000001/created
             */
            id: string;
            /**
             * @description The service and its stage
             * @example /petstore/prod
             */
            source: string;
            /**
             * @description The event type. More types may be added. Now one of `petstore.category.created`, `petstore.category.updated`, `petstore.category.deleted`
             * @example petstore.category.created
             */
            type: string;
            /**
             * @description The resource, as a path of this API
             * @example pets/categories/243719355140437
             */
            subject: string;
            /**
             * Format: date-time
             * @description The commit time, to the second; for a republished event, the time of republication. Order events by `sequence`
             * @example 2027-01-04T09:00:00Z
             */
            time: string;
            /**
             * @description The media type of the data
             * @example application/json
             * @enum {string}
             */
            datacontenttype: "application/json";
            /**
             * @description Orders the events of one subject by string comparison. Events of one change have the same sequence. If they also have the same subject, their data is equal. Ignore events that are older than the newest one you have
             * @example 0001-0000000000000001
             */
            sequence: string;
            data: components["schemas"]["Category"];
        };
        /** @description A change of the stock of a pet, as a CloudEvent 1.0 in JSON. */
        InventoryEvent: {
            /**
             * @description The version of CloudEvents
             * @example 1.0
             * @enum {string}
             */
            specversion: "1.0";
            /**
             * @description The same for each delivery and after republishing
             * @example store/inventory/243719355140437/0001-0000000000000001/updated
             */
            id: string;
            /**
             * @description The service and its stage
             * @example /petstore/prod
             */
            source: string;
            /**
             * @description The event type. More types may be added. Now one of `petstore.inventory.updated`, `petstore.inventory.deleted`
             * @example petstore.inventory.updated
             */
            type: string;
            /**
             * @description The resource, as a path of this API
             * @example store/inventory/243719355140437
             */
            subject: string;
            /**
             * Format: date-time
             * @description The commit time, to the second; for a republished event, the time of republication. Order events by `sequence`
             * @example 2027-01-04T09:00:00Z
             */
            time: string;
            /**
             * @description The media type of the data
             * @example application/json
             * @enum {string}
             */
            datacontenttype: "application/json";
            /**
             * @description Orders the events of one subject by string comparison. Events of one change have the same sequence. If they also have the same subject, their data is equal. Ignore events that are older than the newest one you have
             * @example 0001-0000000000000001
             */
            sequence: string;
            data: components["schemas"]["InventoryItem"];
        };
        /** @description A change of an order, as a CloudEvent 1.0 in JSON. */
        OrderEvent: {
            /**
             * @description The version of CloudEvents
             * @example 1.0
             * @enum {string}
             */
            specversion: "1.0";
            /**
             * @description The same for each delivery and after republishing
             * @example store/orders/243719355140437/0001-0000000000000001/placed
             */
            id: string;
            /**
             * @description The service and its stage
             * @example /petstore/prod
             */
            source: string;
            /**
             * @description The event type. More types may be added. Now one of `petstore.order.placed`, `petstore.order.updated`, `petstore.order.completed`, `petstore.order.cancelled`, `petstore.order.deleted`
             * @example petstore.order.placed
             */
            type: string;
            /**
             * @description The resource, as a path of this API
             * @example store/orders/243719355140437
             */
            subject: string;
            /**
             * Format: date-time
             * @description The commit time, to the second; for a republished event, the time of republication. Order events by `sequence`
             * @example 2027-01-04T09:00:00Z
             */
            time: string;
            /**
             * @description The media type of the data
             * @example application/json
             * @enum {string}
             */
            datacontenttype: "application/json";
            /**
             * @description Orders the events of one subject by string comparison. Events of one change have the same sequence. If they also have the same subject, their data is equal. Ignore events that are older than the newest one you have
             * @example 0001-0000000000000001
             */
            sequence: string;
            data: components["schemas"]["Order"];
            /**
             * @description The client that placed the order
             * @example shop
             */
            clientid: string;
        };
    };
    responses: {
        /** @description `bad_gateway` */
        BadGateway: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `category_in_use` */
        CategoryInUse: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `category_not_found` */
        CategoryNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `category_not_found` or `idempotency_key_reused` */
        CategoryNotFoundInBodyOrIdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `category_not_found` or `idempotency_key_reused` */
        CategoryNotFoundInBodyOrIdempotencyKeyReusedBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `forbidden` */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `forbidden` */
        ForbiddenBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `forbidden` */
        ForbiddenExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `gone` */
        GoneOfDeprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Successor-Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_key_reused` */
        IdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_key_reused` */
        IdempotencyKeyReusedExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal_error` */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal_error` */
        InternalErrorBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal_error` */
        InternalErrorExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal_error` */
        InternalErrorOfDeprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Successor-Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_request` */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_request` */
        InvalidRequestBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_request` */
        InvalidRequestExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_request` */
        InvalidRequestOfDeprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Successor-Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_request` or `invalid_cursor` */
        InvalidRequestOrInvalidCursor: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `not_found` */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `order_complete` */
        OrderComplete: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `order_complete` */
        OrderCompleteExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `order_not_found` */
        OrderNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `order_not_found` */
        OrderNotFoundExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `out_of_stock` */
        OutOfStock: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `out_of_stock` */
        OutOfStockBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `payload_too_large` */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `payload_too_large` */
        PayloadTooLargeBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `payload_too_large` */
        PayloadTooLargeExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pet_has_open_orders` */
        PetHasOpenOrders: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pet_not_available` or `insufficient_stock` */
        PetNotAvailableOrInsufficientStock: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pet_not_found` */
        PetNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pet_not_found` */
        PetNotFoundBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pet_not_found` or `idempotency_key_reused` */
        PetNotFoundInBodyOrIdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pet_not_found` */
        PetNotFoundOfDeprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Successor-Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `precondition_failed` */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `precondition_failed` */
        PreconditionFailedBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `precondition_failed` */
        PreconditionFailedExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `timeout` */
        Timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `too_many_requests` */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `try_again` */
        TryAgain: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `try_again` */
        TryAgainOfDeprecated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Successor-Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `try_again` or `outcome_unknown` */
        TryAgainOrOutcomeUnknown: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `try_again` or `outcome_unknown` */
        TryAgainOrOutcomeUnknownBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `try_again` or `outcome_unknown` */
        TryAgainOrOutcomeUnknownExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unauthenticated` */
        Unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unsupported_media_type` */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unsupported_media_type` */
        UnsupportedMediaTypeBeta: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unsupported_media_type` */
        UnsupportedMediaTypeExperimental: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Stability-Level": components["headers"]["X-Stability-Level"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The id of this request in the logs
         * @example 0f8fad5b-d9cb-469f-a165-70867728950e
         */
        "X-Request-Id": string;
        /**
         * @description CORS: any origin
         * @example *
         */
        "Access-Control-Allow-Origin": string;
        /**
         * @description `no-cache` for the public catalog and the documentation, `no-store` for everything else
         * @example no-cache
         */
        "Cache-Control": string;
        /**
         * @description Entity tag of the representation; strong
         * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
         */
        ETag: string;
        /**
         * @description Entity tag of the representation, if exactly one id was requested and found; strong
         * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
         */
        "Single-ETag": string;
        /**
         * @description URL of the created resource
         * @example https://petstore.example.com/pets?id=243719355140437
         */
        Location: string;
        /**
         * @description The next page, as `rel="next"`, if there is one
         * @example <https://petstore.example.com/pets?limit=20&cursor=1ue3vqsu8ol.mB0Ck7y1bEgTz5PpVw2xQA>; rel="next"
         */
        Link: string;
        /**
         * @description `true` if this is the response to an earlier request with the same key
         * @example true
         */
        "Idempotent-Replayed": "true";
        /**
         * @description Seconds to wait before a retry
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description The authentication scheme. If the stage has revoked the token, API Gateway renames this header to `x-amzn-Remapped-WWW-Authenticate`
         * @example Bearer
         */
        "WWW-Authenticate": string;
        /**
         * @description The date since which the operation is deprecated (RFC 9745)
         * @example @1793491200
         */
        Deprecation: string;
        /**
         * @description The sunset date: afterwards the operation may return 410 (RFC 8594)
         * @example Fri, 31 Dec 2027 23:59:59 GMT
         */
        Sunset: string;
        /**
         * @description The successor, as `rel="successor-version"` (RFC 5829)
         * @example <https://petstore.example.com/pets?id=243719355140437>; rel="successor-version"
         */
        "Successor-Link": string;
        /**
         * @description `beta`: may change within 1.x. `experimental`: may change or end
         * @example beta
         */
        "X-Stability-Level": "beta" | "experimental";
        /**
         * @description The origins that the page may load from
         * @example default-src 'none'; script-src 'self'; style-src 'self'
         */
        "Content-Security-Policy": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /**
                 * @description Only pets with one of these statuses
                 * @example [
                 *       "available"
                 *     ]
                 */
                status?: components["schemas"]["PetStatus"][];
                /**
                 * @description Only pets of this category
                 * @example 243719355140436
                 */
                categoryId?: number;
                /**
                 * @description Up to 100 distinct ids: repeat the parameter, or separate ids with commas. Cannot be combined with `limit` or `cursor`
                 * @example [
                 *       243719355140437
                 *     ]
                 */
                id?: number[];
                /**
                 * @description The maximum number of items per page. Cannot be combined with `id`
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The start of the page, from the `Link` of the previous page. Opaque, and valid only for the same operation, filters and owner. Cannot be combined with `id`
                 * @example 1ue3vqsu8ol.mB0Ck7y1bEgTz5PpVw2xQA
                 */
                cursor?: string;
            };
            header?: {
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of pets, or the given pets */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["Single-ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 243719355140437,
                     *         "name": "Tom",
                     *         "categoryId": 243719355140436,
                     *         "status": "available"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Pets"];
                };
            };
            /** @description Not modified; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgain"];
            504: components["responses"]["Timeout"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Tom",
                 *       "categoryId": 243719355140436
                 *     }
                 */
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The new pet */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140437,
                     *       "name": "Tom",
                     *       "categoryId": 243719355140436,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["CategoryNotFoundInBodyOrIdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknown"];
            504: components["responses"]["Timeout"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Id of a pet, as listPets returns it
                 * @example 243719355140437
                 */
                petId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Successor-Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140437,
                     *       "name": "Tom",
                     *       "categoryId": 243719355140436,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description Not modified; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Successor-Link"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOfDeprecated"];
            404: components["responses"]["PetNotFoundOfDeprecated"];
            410: components["responses"]["GoneOfDeprecated"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalErrorOfDeprecated"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOfDeprecated"];
            504: components["responses"]["Timeout"];
        };
    };
    replacePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. Returns 412 if the resource has none of them
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-Match"?: string;
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a pet, as listPets returns it
                 * @example 243719355140437
                 */
                petId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Thomas",
                 *       "categoryId": 243719355140436,
                 *       "status": "pending"
                 *     }
                 */
                "application/json": components["schemas"]["PetReplacement"];
            };
        };
        responses: {
            /** @description The pet after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140437,
                     *       "name": "Thomas",
                     *       "categoryId": 243719355140436,
                     *       "status": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["PetNotFound"];
            409: components["responses"]["OutOfStock"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["CategoryNotFoundInBodyOrIdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknown"];
            504: components["responses"]["Timeout"];
        };
    };
    deletePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. Returns 412 if the resource has none of them
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-Match"?: string;
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a pet, as listPets returns it
                 * @example 243719355140437
                 */
                petId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["PetNotFound"];
            409: components["responses"]["PetHasOpenOrders"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknown"];
            504: components["responses"]["Timeout"];
        };
    };
    updatePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. Returns 412 if the resource has none of them
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-Match"?: string;
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a pet, as listPets returns it
                 * @example 243719355140437
                 */
                petId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "sold"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["PetPatch"];
            };
        };
        responses: {
            /** @description The pet after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    ETag: components["headers"]["ETag"];
                    "X-Stability-Level": components["headers"]["X-Stability-Level"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140437,
                     *       "name": "Tom",
                     *       "categoryId": 243719355140436,
                     *       "status": "sold"
                     *     }
                     */
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["InvalidRequestBeta"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenBeta"];
            404: components["responses"]["PetNotFoundBeta"];
            409: components["responses"]["OutOfStockBeta"];
            412: components["responses"]["PreconditionFailedBeta"];
            413: components["responses"]["PayloadTooLargeBeta"];
            415: components["responses"]["UnsupportedMediaTypeBeta"];
            422: components["responses"]["CategoryNotFoundInBodyOrIdempotencyKeyReusedBeta"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalErrorBeta"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknownBeta"];
            504: components["responses"]["Timeout"];
        };
    };
    listCategories: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The start of the page, from the `Link` of the previous page. Opaque, and valid only for the same operation, filters and owner
                 * @example 1ue3vqsu8ol.mB0Ck7y1bEgTz5PpVw2xQA
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of categories */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 243719355140436,
                     *         "name": "Cats",
                     *         "description": "Independent, quiet, awake at night"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Category"][];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgain"];
            504: components["responses"]["Timeout"];
        };
    };
    createCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Cats",
                 *       "description": "Independent, quiet, awake at night"
                 *     }
                 */
                "application/json": components["schemas"]["NewCategory"];
            };
        };
        responses: {
            /** @description The new category */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140436,
                     *       "name": "Cats",
                     *       "description": "Independent, quiet, awake at night"
                     *     }
                     */
                    "application/json": components["schemas"]["Category"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknown"];
            504: components["responses"]["Timeout"];
        };
    };
    getCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Id of a category, as listCategories returns it
                 * @example 243719355140436
                 */
                categoryId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The category */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140436,
                     *       "name": "Cats",
                     *       "description": "Independent, quiet, awake at night"
                     *     }
                     */
                    "application/json": components["schemas"]["Category"];
                };
            };
            /** @description Not modified; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CategoryNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgain"];
            504: components["responses"]["Timeout"];
        };
    };
    replaceCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. Returns 412 if the resource has none of them
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-Match"?: string;
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a category, as listCategories returns it
                 * @example 243719355140436
                 */
                categoryId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Felines"
                 *     }
                 */
                "application/json": components["schemas"]["CategoryReplacement"];
            };
        };
        responses: {
            /** @description The category after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140436,
                     *       "name": "Felines"
                     *     }
                     */
                    "application/json": components["schemas"]["Category"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["CategoryNotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknown"];
            504: components["responses"]["Timeout"];
        };
    };
    deleteCategory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. Returns 412 if the resource has none of them
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-Match"?: string;
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a category, as listCategories returns it
                 * @example 243719355140436
                 */
                categoryId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["CategoryNotFound"];
            409: components["responses"]["CategoryInUse"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknown"];
            504: components["responses"]["Timeout"];
        };
    };
    listInventory: {
        parameters: {
            query?: {
                /**
                 * @description Only pets with one of these statuses
                 * @example [
                 *       "available"
                 *     ]
                 */
                status?: components["schemas"]["PetStatus"][];
                /**
                 * @description The maximum number of items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The start of the page, from the `Link` of the previous page. Opaque, and valid only for the same operation, filters and owner
                 * @example 1ue3vqsu8ol.mB0Ck7y1bEgTz5PpVw2xQA
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of stock */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "petId": 243719355140437,
                     *         "quantity": 3,
                     *         "status": "available"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["InventoryItem"][];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgain"];
            504: components["responses"]["Timeout"];
        };
    };
    getInventory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Id of a pet, as listPets returns it
                 * @example 243719355140437
                 */
                petId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stock of the pet */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "petId": 243719355140437,
                     *       "quantity": 3,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["InventoryItem"];
                };
            };
            /** @description Not modified; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["PetNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgain"];
            504: components["responses"]["Timeout"];
        };
    };
    setInventory: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. Returns 412 if the resource has none of them
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-Match"?: string;
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of a pet, as listPets returns it
                 * @example 243719355140437
                 */
                petId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "quantity": 3
                 *     }
                 */
                "application/json": components["schemas"]["InventoryUpdate"];
            };
        };
        responses: {
            /** @description The stock after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "petId": 243719355140437,
                     *       "quantity": 3,
                     *       "status": "available"
                     *     }
                     */
                    "application/json": components["schemas"]["InventoryItem"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["PetNotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknown"];
            504: components["responses"]["Timeout"];
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /**
                 * @description `true`: only complete orders; `false`: only open orders
                 * @example false
                 */
                complete?: boolean;
                /**
                 * @description Only orders for this pet. Needs scope `petstore/orders.manage`
                 * @example 243719355140437
                 */
                petId?: number;
                /**
                 * @description Only orders that were placed at this time or later. An RFC 3339 date-time; write `+` as `%2B`
                 * @example 2027-01-04T00:00:00Z
                 */
                placedFrom?: string;
                /**
                 * @description Only orders that were placed before this time, which is after `placedFrom`
                 * @example 2027-01-05T00:00:00Z
                 */
                placedBefore?: string;
                /**
                 * @description The maximum number of items per page
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description The start of the page, from the `Link` of the previous page. Opaque, and valid only for the same operation, filters and owner
                 * @example 1ue3vqsu8ol.mB0Ck7y1bEgTz5PpVw2xQA
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of orders */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 243719355140438,
                     *         "petId": 243719355140437,
                     *         "quantity": 2,
                     *         "shipDate": "2027-01-04T09:00:00Z",
                     *         "complete": false
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Order"][];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgain"];
            504: components["responses"]["Timeout"];
        };
    };
    placeOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "petId": 243719355140437,
                 *       "quantity": 2,
                 *       "shipDate": "2027-01-04T09:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewOrder"];
            };
        };
        responses: {
            /** @description The new order */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140438,
                     *       "petId": 243719355140437,
                     *       "quantity": 2,
                     *       "shipDate": "2027-01-04T09:00:00Z",
                     *       "complete": false
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["PetNotAvailableOrInsufficientStock"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["PetNotFoundInBodyOrIdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknown"];
            504: components["responses"]["Timeout"];
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Id of an order, as listOrders returns it
                 * @example 243719355140438
                 */
                orderId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140438,
                     *       "petId": 243719355140437,
                     *       "quantity": 2,
                     *       "shipDate": "2027-01-04T09:00:00Z",
                     *       "complete": false
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description Not modified; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["OrderNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgain"];
            504: components["responses"]["Timeout"];
        };
    };
    cancelOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. Returns 412 if the resource has none of them
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-Match"?: string;
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of an order, as listOrders returns it
                 * @example 243719355140438
                 */
                orderId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Canceled; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["OrderNotFound"];
            409: components["responses"]["OrderComplete"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknown"];
            504: components["responses"]["Timeout"];
        };
    };
    updateOrder: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. Returns 412 if the resource has none of them
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-Match"?: string;
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
                /**
                 * @description A key that you choose, quoted or unquoted. The same request with the same key within 24 hours returns the same response, and changes nothing
                 * @example 7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of an order, as listOrders returns it
                 * @example 243719355140438
                 */
                orderId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "complete": true
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["OrderPatch"];
            };
        };
        responses: {
            /** @description The order after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    ETag: components["headers"]["ETag"];
                    "X-Stability-Level": components["headers"]["X-Stability-Level"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 243719355140438,
                     *       "petId": 243719355140437,
                     *       "quantity": 2,
                     *       "shipDate": "2027-01-04T09:00:00Z",
                     *       "complete": true
                     *     }
                     */
                    "application/json": components["schemas"]["Order"];
                };
            };
            400: components["responses"]["InvalidRequestExperimental"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenExperimental"];
            404: components["responses"]["OrderNotFoundExperimental"];
            409: components["responses"]["OrderCompleteExperimental"];
            412: components["responses"]["PreconditionFailedExperimental"];
            413: components["responses"]["PayloadTooLargeExperimental"];
            415: components["responses"]["UnsupportedMediaTypeExperimental"];
            422: components["responses"]["IdempotencyKeyReusedExperimental"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalErrorExperimental"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["TryAgainOrOutcomeUnknownExperimental"];
            504: components["responses"]["Timeout"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI document */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.0.3",
                     *       "info": {
                     *         "title": "Petstore",
                     *         "version": "1.0.0"
                     *       },
                     *       "paths": {}
                     *     }
                     */
                    "application/json": Record<string, never>;
                };
            };
            /** @description Not modified; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            504: components["responses"]["Timeout"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The documentation page */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Not modified; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            504: components["responses"]["Timeout"];
        };
    };
    getDocsFile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Entity tags, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412
                 * @example "c0p9zVwSxUOTNMv8kQ0Jxg"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The name of a file
                 * @example page.js
                 */
                file: "changelog.md" | "page.css" | "page.js" | "petstore.ts" | "swagger-ui-bundle.js" | "swagger-ui.css";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "text/css": string;
                    "text/javascript": string;
                };
            };
            /** @description Not modified; no body */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BadGateway"];
            504: components["responses"]["Timeout"];
        };
    };
}
