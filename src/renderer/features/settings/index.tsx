import type { AppView } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import i18next from 'i18next'
import { CopyText } from '../../copy-text'
import { useCall } from '../../ipc'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'

const t = i18next.getFixedT(null, 'settings')

/** Installs a keyring on Debian and Ubuntu. */
const debianCommand = 'sudo apt-get install gnome-keyring libsecret-1-0'

/** Instructions to get a keychain on this platform, with a command where available. */
export function KeychainAdvice({ platform }: { readonly platform: AppView['platform'] }) {
  return (
    <span className="block">
      {t(`vault.advice.${platform}`)}
      {platform === 'linux' ? (
        <span className="mt-0.75 flex min-w-0 items-center gap-1">
          <Code>{debianCommand}</Code>
          <CopyText text={debianCommand} label={t('vault.copyCommand')} />
        </span>
      ) : null}
    </span>
  )
}

export function ReplacedNotice() {
  return (
    <Callout tone="info" title={t('updates.replaced')}>
      {t('updates.replacedText')}
    </Callout>
  )
}

/** Notice on Home about a new version, or about one that was installed while the app runs. */
export function UpdateNotice() {
  const { data: view } = useCall('updates.get', {}, { refetchInterval: minuteMs })
  if (view?.isReplaced) return <ReplacedNotice />
  if (view?.state.kind !== 'available' && view?.state.kind !== 'ready') return null
  const { kind, release } = view.state
  return (
    <Callout
      tone="info"
      title={t(`updates.${kind}`, { version: release.version })}
      actions={[{ label: t('updates.show'), to: '/settings' }]}
    />
  )
}
