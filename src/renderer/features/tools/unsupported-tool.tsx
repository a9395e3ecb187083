import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import type { ToolHere } from './sites'

/** Why a tool is left alone, and what will make it possible. */
export function UnsupportedTool({ tool }: { readonly tool: ToolHere }) {
  const { t } = useTranslation('tools')
  const reason = tool.reason ?? 'platform'
  return (
    <Callout tone="info" title={t(`unsupported.${reason}.title`, { tool: tool.name })}>
      <p>{t(`unsupported.${reason}.text`, { tool: tool.name })}</p>
      <p>{t(`unsupported.${reason}.later`, { tool: tool.name })}</p>
    </Callout>
  )
}
