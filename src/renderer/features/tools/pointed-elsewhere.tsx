import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { Facts } from '../../ui/rows'
import type { ToolHere } from './sites'

/** Says where a tool is pointed that somebody else set up, and that setting it up here can be taken back. */
export function PointedElsewhere({ tool }: { readonly tool: ToolHere }) {
  const { t } = useTranslation('tools')
  if (tool.status !== 'otherwise') return null
  const { base, modelCode } = tool.found ?? {}
  return (
    <Callout tone="info" title={t('otherwise.title', { tool: tool.name })}>
      {base === undefined && modelCode === undefined ? null : (
        <Facts
          items={[
            base && (
              <Code key="base" wrap>
                {base}
              </Code>
            ),
            modelCode && (
              <Code key="model" wrap>
                {modelCode}
              </Code>
            ),
          ]}
        />
      )}
      <p>{t('otherwise.text')}</p>
    </Callout>
  )
}
