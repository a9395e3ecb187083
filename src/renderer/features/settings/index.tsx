import type { AppView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Code } from '../../ui/code'

export { UpdateNotice } from './update-notice'

/** Installs a keyring on Debian and Ubuntu. */
const debianCommand = 'sudo apt-get install gnome-keyring libsecret-1-0'

/** Instructions to get a keychain on this platform, with a command where available. */
export function KeychainAdvice({ platform }: { readonly platform: AppView['platform'] }) {
  const { t } = useTranslation('settings')
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
