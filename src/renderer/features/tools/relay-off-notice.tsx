import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ExplainedFailure } from '../failures/explained-failure'
import { pointPath } from '../relay/paths'
import { relayPath } from '../usage/paths'
import { setupKey, type ToolHere } from './sites'
import { useToolsStore } from './tools-store'

/** Says that a tool gets no answer because the relay does not run, with the two ways out. */
export function RelayOffNotice({ tool }: { readonly tool: ToolHere }) {
  const { t } = useTranslation('tools')
  const starting = useAction('relay.start', { invalidates: ['relay', 'tools'] })
  const check = useToolsStore((store) => store.verifications[setupKey(tool.id, tool.site)])
  // The verification above says so already, with the same ways out.
  const isTold = check?.ok === false && check.failure.code === 'relay.off'
  if (!tool.relayOff || isTold) return null
  return (
    <>
      <Callout
        tone="danger"
        title={t('relayOff.title', { tool: tool.name })}
        actions={
          <>
            {tool.routes.includes('gateway') ? (
              <ButtonLink size="sm" variant="ghost" to={pointPath({ to: 'gateway', toolIds: [tool.id] })}>
                {t('relayOff.direct')}
              </ButtonLink>
            ) : null}
            <Button size="sm" busy={starting.isPending} onClick={() => starting.mutate({})}>
              {t('relayOff.start')}
            </Button>
          </>
        }
      >
        {t('relayOff.text', { tool: tool.name })}
      </Callout>
      {starting.error ? (
        <ExplainedFailure
          failure={starting.error.failure}
          actions={
            <ButtonLink size="sm" to={relayPath}>
              {t('relayOff.toRelay')}
            </ButtonLink>
          }
        />
      ) : null}
    </>
  )
}
