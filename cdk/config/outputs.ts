/** The stack output that has the id of a client of the settings: `staff` → `StaffClientId`. */
export const clientIdOutput = (client: string): string =>
  `${client.charAt(0).toUpperCase()}${client.slice(1)}ClientId`.replace(/[^A-Za-z0-9]/g, '');
