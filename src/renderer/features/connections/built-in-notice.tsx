import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'

/** What the built-in connection is; and, while the sandbox is stopped, that nothing answers and where to start it. */
export function BuiltInNotice() {
  const { t } = useTranslation('connections')
  const { data: sandbox } = useCall('sandbox.get', {})
  const isDown = sandbox?.state === 'stopped' || sandbox?.state === 'failed'
  return (
    <Callout
      tone={isDown ? 'warning' : 'info'}
      title={isDown ? t('sandbox.stopped') : t('sandbox.what')}
      actions={
        <ButtonLink size="sm" to="/sandbox">
          {t('sandbox.page')}
        </ButtonLink>
      }
    >
      {isDown ? <p>{t('sandbox.stoppedText')}</p> : null}
      <p>{t('sandbox.text')}</p>
    </Callout>
  )
}
