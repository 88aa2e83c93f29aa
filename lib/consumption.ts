/**
 * What the request being answered has cost so far, for its log line. One Lambda environment answers one request at a
 * time, so one record per module is exact there; on the local server requests that overlap in one function share it.
 */
export const consumption = { roundTrips: 0, readUnits: 0, writeUnits: 0 };

export const resetConsumption = () => Object.assign(consumption, { roundTrips: 0, readUnits: 0, writeUnits: 0 });
