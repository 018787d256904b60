import type { Call } from '@billhook/client'
import type { EndpointTag } from '../http/endpoints.js'

/** A request to the API, which the command signs and ends. */
export type ApiCall = Omit<Call, 'tag' | 'signer' | 'signal'> & { readonly tag: EndpointTag }
