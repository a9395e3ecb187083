import type { CheckView } from '@shared/contract'
import type { Failure, FailureCode } from '@shared/failure'
import { otherShape, requestAddress, sameOrigin } from '../../gateway/address'
import type { Secret } from '../../secret'
import { type Examination, questionOf, step, type Told } from './facts'
import { failed } from './fixes'

/** Whether something answers where the tool asks with the base in its settings; if not, which base would be right. */
export const suffixRight = step(
  'suffixRight',
  ['found', 'purpose', 'key', 'isReached'],
  async ({ found, purpose: { gatewayUrl }, key }, examination): Promise<Told> => {
    const { target } = examination
    const { base } = found
    if (base === undefined) {
      const message = `${target.name} has no address in its settings. Configure it again.`
      return { findings: [failed({ code: 'tool.notConfigured', message })] }
    }
    const subject = requestAddress(base, target.requestSuffix)
    if (!sameOrigin(base, gatewayUrl)) {
      return { findings: [failed(otherGateway(examination, gatewayUrl))] }
    }
    const view = await probeBase(base, key, examination)
    if (view.ok || isServed(view)) return { findings: [{ outcome: 'ok', subject }], facts: { base } }
    if (!nothingThere.includes(view.failure.code)) return { findings: [failed(view.failure, { subject })] }
    const right = await findRight({ base, gatewayUrl, key }, examination)
    if (right === undefined) return { findings: [failed(view.failure, { subject, fix: 'chooseKey' })] }
    const fix = right === target.base(gatewayUrl) ? 'applyAgain' : 'openFile'
    return { findings: [failed(wrongSuffix({ base, right, status: view.status }, examination), { subject, fix })] }
  },
)

/** A 404, and the page or the redirect that some servers have for every address they do not know. */
const nothingThere: readonly FailureCode[] = ['gateway.wrongSuffix', 'gateway.notAGateway']

/** With a model that no plan has: it costs nothing, and whoever refuses the model or the key has understood the address. */
function probeBase(base: string, key: Secret, { target, deps }: Examination): Promise<CheckView> {
  return deps.check(questionOf({ target, deps }, { base, key }))
}

function isServed(view: CheckView): boolean {
  return view.ok || (view.failure.code.startsWith('gateway.') && !nothingThere.includes(view.failure.code))
}

type Wrong = { readonly base: string; readonly gatewayUrl: string; readonly key: Secret }

/** The first base that answers: the one that the tool should have, then the other shape of it and of the one it has. */
async function findRight({ base, gatewayUrl, key }: Wrong, examination: Examination): Promise<string | undefined> {
  const wanted = examination.target.base(gatewayUrl)
  const candidates = new Set([wanted, otherShape(wanted), otherShape(base)])
  candidates.delete(base)
  for (const candidate of candidates) {
    if (isServed(await probeBase(candidate, key, examination))) return candidate
  }
  return undefined
}

type Suffixes = { readonly base: string; readonly right: string; readonly status: number | undefined }

function wrongSuffix({ base, right, status = 404 }: Suffixes, { target }: Examination): Failure {
  const asked = requestAddress(base, target.requestSuffix)
  const called = requestAddress(right, target.requestSuffix)
  const message = `${target.name} asks ${asked}, where nothing answers (${status}). Its base address must be ${right}; it then asks ${called}, where the gateway answers.`
  return { code: 'gateway.wrongSuffix', message }
}

/** The address in the settings is not repeated: it may be anybody's and hold anything. */
function otherGateway({ target }: Examination, gatewayUrl: string): Failure {
  const message = `${target.name} is pointed at another address than the plan's gateway ${gatewayUrl}. No key was sent there. Configure it again.`
  return { code: 'tool.otherGateway', message }
}
