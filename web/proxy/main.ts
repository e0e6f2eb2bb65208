import { mount } from 'svelte';
import '../kit/styles/tokens.css';
import '../kit/styles/base.css';
import { connectToService } from './api/service.ts';
import Proxy from './proxy.svelte';

connectToService();
mount(Proxy, { target: document.body });
