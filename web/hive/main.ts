import { mount } from 'svelte';
import '../kit/styles/tokens.css';
import '../kit/styles/base.css';
import { connectToService } from './api/service.ts';
import Hive from './hive.svelte';

connectToService();
mount(Hive, { target: document.body });
