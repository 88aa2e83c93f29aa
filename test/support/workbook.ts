import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { newFolder } from './processes.ts';

// Parts of workbooks as Excel, Google Sheets, openpyxl, XlsxWriter and LibreOffice write them.
export const text = (cell: string, value: string) => `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`;
const header = `<row r="1">${text('A1', 'name')}${text('B1', 'category')}${text('C1', 'quantity')}</row>`;
const tom = `${text('A2', 'Tom')}${text('B2', 'Cats')}`;
export const pets = (quantity = '<c r="C2"><v>3</v></c>', row = tom) => `${header}<row r="2">${row}${quantity}</row>`;

type Sheet = { name?: string; state?: string; rows?: string; kind?: string; target?: string };
/** @param calcPr calculation properties of the workbook */
export const workbook = async (sheets: readonly Sheet[], calcPr = ''): Promise<string> => {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const ofOffice = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const parts: Record<string, Uint8Array> = {};
  const add = (path: string, xml: string) => (parts[path] = strToU8(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`));
  const tags = sheets.map(({ name = 'Pets', state = '', kind = 'worksheet', rows = pets(), target }, index) => {
    const path = `xl/${kind}s/sheet${index + 1}.xml`;
    add(path, `<${kind} xmlns="${main}"><sheetData>${rows}</sheetData></${kind}>`);
    const relation = `<Relationship Id="rId${9 - index}" Type="${ofOffice}/${kind}" Target="${target ?? path.slice(3)}"/>`;
    return [`<sheet name="${name}" sheetId="${index + 5}" ${state} r:id="rId${9 - index}"/>`, relation];
  });
  add(
    'xl/workbook.xml',
    `<workbook xmlns="${main}" xmlns:r="${ofOffice}"><sheets>${tags.map(([tag]) => tag).join('')}</sheets>${calcPr}</workbook>`,
  );
  const relations = tags.map(([, relation]) => relation).join('');
  add(
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${ofOffice.replace('officeDocument', 'package')}">${relations}</Relationships>`,
  );
  const types = Object.keys(parts)
    .filter(path => /sheet\d|workbook\.xml$/.test(path))
    .map(path => {
      const kind = /(\w+)s\/sheet/.exec(path)?.[1] ?? 'sheet.main';
      return `<Override PartName="/${path}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
    });
  const ofPackage = 'http://schemas.openxmlformats.org/package/2006';
  const rels = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>';
  add('[Content_Types].xml', `<Types xmlns="${ofPackage}/content-types">${rels}${types.join('')}</Types>`);
  const top = `<Relationship Id="rId1" Type="${ofOffice}/officeDocument" Target="xl/workbook.xml"/>`;
  add('_rels/.rels', `<Relationships xmlns="${ofPackage}/relationships">${top}</Relationships>`);
  const file = join(await newFolder(), 'pets.xlsx');
  writeFileSync(file, zipSync(parts));
  return file;
};
