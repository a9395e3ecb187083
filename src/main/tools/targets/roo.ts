import { baseAddress, requestAddressFor } from '../../gateway/address'
import { joinPath } from '../environment'
import type { GuidedTarget } from '../target'
import { settingsFolder } from './shared'

const standard = 'chat-completions'
const EXTENSION = 'rooveterinaryinc.roo-cline'
const editors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf']

/** Roo Code, an extension: its form only, the key in the editor's secret storage. Cline's extension has the same form. */
export const roo: GuidedTarget = {
  kind: 'guided',
  id: 'roo',
  name: 'Roo Code',
  standard,
  executables: [],
  markers: (env) =>
    editors.map((editor) => joinPath(env, settingsFolder(env), editor, 'User', 'globalStorage', EXTENSION)),
  install: { url: 'https://marketplace.visualstudio.com/items?itemName=RooVeterinaryInc.roo-cline' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  place: ['Roo Code', 'Settings', 'Providers'],
  requestAddress: (gatewayUrl) => requestAddressFor(gatewayUrl, standard),
  isRemote: false,
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'API Provider', value: 'OpenAI Compatible' },
    { label: 'Base URL', value: baseAddress(gatewayUrl, standard) },
    { label: 'API Key', isKey: true },
    { label: 'Model', value: modelCode },
  ],
}
