import { requestAddressFor } from '../../gateway/address'
import { joinPath, type ToolEnvironment } from '../environment'
import type { GuidedTarget } from '../target'
import { settingsFolder } from './shared'

const standard = 'chat-completions'

/**
 * Cherry Studio: its form only. It appends `/v1/chat/completions` to the API host itself, unless that ends with `/` or
 * `#`, so it is given the gateway's root as it is.
 */
export const cherryStudio: GuidedTarget = {
  kind: 'guided',
  id: 'cherry-studio',
  name: 'Cherry Studio',
  standard,
  executables: [],
  markers,
  install: { url: 'https://www.cherry-ai.com/download' },
  sites: ['user'],
  evidence: { kind: 'docs' },
  place: ['Settings', 'Model Provider', 'Add'],
  requestAddress: (gatewayUrl) => requestAddressFor(gatewayUrl, standard),
  isRemote: false,
  fields: ({ gatewayUrl, modelCode }) => [
    { label: 'Provider Name', value: 'Platform Companion' },
    { label: 'Provider Type', value: 'OpenAI' },
    { label: 'API Key', isKey: true },
    { label: 'API Host', value: gatewayUrl },
    { label: 'Model ID', value: modelCode },
  ],
}

function markers(env: ToolEnvironment): string[] {
  const data = joinPath(env, settingsFolder(env), 'CherryStudio')
  return env.platform === 'darwin' ? ['/Applications/Cherry Studio.app', data] : [data]
}
