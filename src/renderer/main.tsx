import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { startI18n } from './i18n'
import { call, callKey, createQueries } from './ipc'

/** Reads the settings first (language and theme of the very first paint), then renders. */
async function start(root: HTMLElement): Promise<void> {
  const queries = createQueries()
  const settings = await call('settings.get', {}).catch(() => undefined)
  if (settings) {
    queries.setQueryData(callKey('settings.get', {}), settings)
    if (settings.theme !== 'system') document.documentElement.dataset.theme = settings.theme
  }
  await startI18n(settings?.locale ?? (navigator.language.startsWith('vi') ? 'vi' : 'en'))
  createRoot(root).render(
    <StrictMode>
      <App queries={queries} />
    </StrictMode>,
  )
}

const root = document.getElementById('root')
if (root) void start(root)
