import { createHash, timingSafeEqual } from 'node:crypto'
import { foreignRefusal } from '../http/guard'
import { type Exchange, type Handler, whileConnected } from '../http/listener'
import { createOutlet } from '../http/outlet'
import { Refused } from '../http/refused'
import { createRouter } from '../http/router'
import { actions, type ControlParts } from './actions'

const findAction = createRouter(actions)

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function refuseStranger({ request }: Exchange, token: string): void {
  const presented = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (timingSafeEqual(digest(presented), digest(token))) return
  const message = 'The control surface needs "Authorization: Bearer <control token>".'
  throw new Refused({ status: 401, code: 'unauthorized', message })
}

async function act(parts: ControlParts, exchange: Exchange): Promise<unknown> {
  const { request, method, path } = exchange
  const refusal = foreignRefusal(request)
  if (refusal) throw refusal
  refuseStranger(exchange, parts.token)
  const found = findAction(method, path)
  if (found) return found.handler({ parts, exchange, params: found.params })
  const message = `The control surface has no ${method} ${path.slice(0, 200)}.`
  throw new Refused({ status: 404, code: 'not_found', message })
}

/** The control surface for the app and the tests, not part of what is simulated. Errors are `{code, message}`. */
export function createControl(parts: ControlParts): Handler {
  return async (exchange) => {
    const outlet = createOutlet(exchange)
    const before = parts.store.changes()
    try {
      const body = await act(parts, exchange)
      if (parts.store.changes() !== before) await whileConnected(parts.store.saved(), exchange)
      outlet.json(200, body)
    } catch (error) {
      if (exchange.response.destroyed || exchange.response.headersSent) return
      const message = 'The sandbox made a mistake. Restart it and report this.'
      const refused = error instanceof Refused ? error : new Refused({ status: 500, code: 'unexpected', message })
      outlet.json(refused.status, { code: refused.code, message: refused.message })
    }
  }
}
