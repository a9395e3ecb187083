import { baseAddress, requestAddressFor } from '../../gateway/address'
import { joinPath, type ToolEnvironment } from '../environment'
import type { GuidedTarget } from '../target'
import { settingsFolder } from './shared'

const standard = 'chat-completions'

/** Cursor: its settings window only. Requests come from Cursor's servers, which are given the key with each of them. */
export const cursor: GuidedTarget = {
  kind: 'guided',
  id: 'cursor',
  name: 'Cursor',
  standard,
  executables: ['cursor'],
  markers,
  install: { url: 'https://cursor.com/downloads' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  place: ['Cursor Settings', 'Models', 'API Keys'],
  requestAddress: (gatewayUrl) => requestAddressFor(gatewayUrl, standard),
  isRemote: true,
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'OpenAI API Key', isKey: true },
    { label: 'Override OpenAI Base URL', value: baseAddress(gatewayUrl, standard) },
    { label: 'Add or search model', value: modelCode },
  ],
}

function markers(env: ToolEnvironment): string[] {
  const data = joinPath(env, settingsFolder(env), 'Cursor')
  return env.platform === 'darwin' ? ['/Applications/Cursor.app', data] : [data]
}
